package dev.sailfish.hadoop.warm;

import java.io.InputStream;
import java.io.PrintStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.lang.management.ManagementFactory;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.HttpURLConnection;
import java.net.ProxySelector;
import java.net.ResponseCache;
import java.security.Provider;
import java.security.Security;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What user code can change in the whole JVM and what can be put back. Used between attempts, by
 * one thread.
 */
final class JvmState {
  private static final Logger LOG = LoggerFactory.getLogger(JvmState.class);

  /** Of beans that the JVM and Hadoop register of themselves, when they are first needed. */
  private static final List<String> OWN_BEANS =
      List.of("Hadoop", "java.", "jdk.", "com.sun.", "JMImplementation");

  private final Properties properties = System.getProperties();
  private final Map<Object, Object> values = new HashMap<>(properties);
  private final Locale locale = Locale.getDefault();
  private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
  private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
  private final TimeZone zone = TimeZone.getDefault();
  private final InputStream in = System.in;
  private final PrintStream out = System.out;
  private final PrintStream err = System.err;
  private final UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
  private final List<Provider> providers = List.of(Security.getProviders());
  private final Network network = new Network();
  private final Set<ObjectName> beans = beans();

  /** The defaults of {@code java.net}. */
  private static final class Network {
    private final Authenticator authenticator = Authenticator.getDefault();
    private final ProxySelector proxies = ProxySelector.getDefault();
    private final CookieHandler cookies = CookieHandler.getDefault();
    private final ResponseCache cache = ResponseCache.getDefault();
    private final boolean redirects = HttpURLConnection.getFollowRedirects();

    private void restore() {
      Authenticator.setDefault(authenticator);
      ProxySelector.setDefault(proxies);
      CookieHandler.setDefault(cookies);
      ResponseCache.setDefault(cache);
      HttpURLConnection.setFollowRedirects(redirects);
    }
  }

  /** Puts all back as it was when this was made. */
  void restore() {
    restoreProperties();
    Locale.setDefault(locale);
    Locale.setDefault(Locale.Category.DISPLAY, display);
    Locale.setDefault(Locale.Category.FORMAT, format);
    TimeZone.setDefault(zone);
    System.setIn(in);
    System.setOut(out);
    System.setErr(err);
    Thread.setDefaultUncaughtExceptionHandler(handler);
    restoreProviders();
    network.restore();
    removeBeans();
  }

  /** Never empty meanwhile: other threads read them. */
  private void restoreProperties() {
    Properties now = properties;
    System.setProperties(now);
    for (Object key : new HashSet<>(now.keySet())) {
      if (!values.containsKey(key)) {
        now.remove(key);
      }
    }
    values.forEach(
        (key, value) -> {
          if (!Objects.equals(now.get(key), value)) {
            now.put(key, value);
          }
        });
  }

  private void restoreProviders() {
    if (providers.equals(List.of(Security.getProviders()))) {
      return;
    }
    for (Provider provider : Security.getProviders()) {
      Security.removeProvider(provider.getName());
    }
    for (int i = 0; i < providers.size(); i++) {
      Security.insertProviderAt(providers.get(i), i + 1);
    }
  }

  private void removeBeans() {
    for (ObjectName bean : beans()) {
      boolean own = OWN_BEANS.stream().anyMatch(bean.getDomain()::startsWith);
      if (!own && !beans.contains(bean)) {
        remove(bean);
      }
    }
  }

  private static void remove(ObjectName bean) {
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(bean);
    } catch (JMException e) {
      LOG.debug("{} stays", bean, e);
    }
  }

  private static Set<ObjectName> beans() {
    return ManagementFactory.getPlatformMBeanServer().queryNames(null, null);
  }
}
