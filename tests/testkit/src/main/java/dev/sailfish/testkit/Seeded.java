package dev.sailfish.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives test and lifecycle methods their randomness: a parameter of type {@link Seed}, {@link
 * java.util.SplittableRandom} or {@link java.util.Random} starts at a seed that is drawn afresh for
 * each test, is printed and attached to the failure when the test fails, and is repeated with
 * {@code -Dsailfish.seed=N}.
 *
 * <pre>{@code
 * @Seeded
 * class RecordTest {
 *   @Test
 *   void readsWhatWasWritten(SplittableRandom random) { ... }
 * }
 * }</pre>
 *
 * All parameters of one test, its {@code @BeforeEach} and {@code @AfterEach} methods start at the
 * same seed. A {@code @BeforeAll} method or a constructor of a class with one instance for all
 * tests has a seed of its own.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SeedExtension.class)
public @interface Seeded {}
