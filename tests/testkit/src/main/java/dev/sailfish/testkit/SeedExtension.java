package dev.sailfish.testkit;

import java.lang.reflect.Parameter;
import java.security.SecureRandom;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Resolves the parameters that {@link Seeded} promises and tells the seed of a test that failed: on
 * standard error, and as a suppressed exception so that it stands in the test's report too.
 */
public final class SeedExtension implements ParameterResolver, AfterEachCallback, AfterAllCallback {

  private static final Namespace NAMESPACE = Namespace.create(SeedExtension.class);
  private static final SecureRandom FRESH = new SecureRandom();

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Seed.class || type == SplittableRandom.class || type == Random.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameterContext, ExtensionContext context) {
    Seed seed =
        context
            .getStore(NAMESPACE)
            .computeIfAbsent(context.getUniqueId(), id -> draw(), Seed.class);
    Parameter parameter = parameterContext.getParameter();
    if (parameter.getType() == SplittableRandom.class) {
      return seed.splittable();
    }
    return parameter.getType() == Random.class ? seed.random() : seed;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    tellSeedOfFailure(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    tellSeedOfFailure(context);
  }

  /**
   * Also looks at the enclosing contexts: what {@code @BeforeAll} drew may have failed this test.
   */
  private static void tellSeedOfFailure(ExtensionContext context) {
    context
        .getExecutionException()
        .ifPresent(
            failure -> {
              for (ExtensionContext at = context; at != null; at = at.getParent().orElse(null)) {
                Seed seed = at.getStore(NAMESPACE).get(at.getUniqueId(), Seed.class);
                if (seed != null) {
                  String message = at.getDisplayName() + ": " + seed.repeatWith();
                  System.err.println(message);
                  failure.addSuppressed(new SeedOfFailure(message));
                }
              }
            });
  }

  private static Seed draw() {
    String fixed = System.getProperty(Seed.PROPERTY);
    if (fixed == null || fixed.isBlank()) {
      return new Seed(FRESH.nextLong());
    }
    try {
      return new Seed(Long.parseLong(fixed.strip()));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          Seed.PROPERTY + "=" + fixed + " is not a whole number of 64 bits", e);
    }
  }

  /** Carries the seed into the report of a failed test; has no stack trace of its own. */
  private static final class SeedOfFailure extends Exception {

    private static final long serialVersionUID = 1L;

    SeedOfFailure(String message) {
      super(message, null, false, false);
    }
  }
}
