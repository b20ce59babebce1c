package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.PrintStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.lang.management.ManagementFactory;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.HttpURLConnection;
import java.net.ProxySelector;
import java.security.Provider;
import java.security.Security;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;
import javax.management.MBeanServer;
import javax.management.MXBean;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class JvmStateTest {
  /** A user's bean. */
  @MXBean
  public interface Users {
    /** Some attribute. */
    int getSome();
  }

  @Test
  void allShouldBePutBack() throws Exception {
    JvmState state = new JvmState();
    Properties properties = System.getProperties();
    String home = System.getProperty("user.home");
    Locale locale = Locale.getDefault(Locale.Category.FORMAT);
    TimeZone zone = TimeZone.getDefault();
    PrintStream out = System.out;
    Provider[] providers = Security.getProviders();
    ProxySelector proxies = ProxySelector.getDefault();
    UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    ObjectName bean = new ObjectName("users:type=Some");

    change();
    Users users = () -> 1;
    beans.registerMBean(users, bean);
    state.restore();

    assertThat(System.getProperties()).isSameAs(properties);
    assertThat(System.getProperty("user.home")).isEqualTo(home);
    assertThat(System.getProperty("users")).isNull();
    assertThat(Locale.getDefault(Locale.Category.FORMAT)).isEqualTo(locale);
    assertThat(TimeZone.getDefault()).isEqualTo(zone);
    assertThat(System.out).isSameAs(out);
    assertThat(System.in).isNotInstanceOf(ByteArrayInputStream.class);
    assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(handler);
    assertThat(Security.getProviders()).containsExactly(providers);
    assertThat(Authenticator.getDefault()).isNull();
    assertThat(CookieHandler.getDefault()).isNull();
    assertThat(ProxySelector.getDefault()).isSameAs(proxies);
    assertThat(HttpURLConnection.getFollowRedirects()).isTrue();
    assertThat(beans.isRegistered(bean)).isFalse();
  }

  private static void change() {
    System.setProperty("user.home", "/nowhere");
    System.clearProperty("java.io.tmpdir");
    Properties others = new Properties();
    others.setProperty("users", "own");
    System.setProperties(others);
    Locale.setDefault(Locale.Category.FORMAT, Locale.GERMANY);
    TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Chatham"));
    System.setOut(new PrintStream(PrintStream.nullOutputStream()));
    System.setIn(new ByteArrayInputStream(new byte[0]));
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {});
    Security.removeProvider(Security.getProviders()[1].getName());
    Authenticator.setDefault(new Authenticator() {});
    CookieHandler.setDefault(new CookieManager());
    ProxySelector.setDefault(null);
    HttpURLConnection.setFollowRedirects(false);
  }
}
