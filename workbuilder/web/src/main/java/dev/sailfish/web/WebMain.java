package dev.sailfish.web;

import dev.sailfish.ground.wire.tls.SslFile;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.vertx.http.HttpServer;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import org.jboss.logging.Logger;

/**
 * The process of the web UI: {@code [--check-config] PROPERTIES-FILE}. It ends with 1 when it
 * cannot start, and with 2 when it is called wrongly. With {@code --check-config} it only reads the
 * file, and ends with 0 or 1.
 */
@QuarkusMain
public class WebMain implements QuarkusApplication {
  private static final Logger LOG = Logger.getLogger(WebMain.class);
  private static final int FAILED = 1;
  private static final int WRONG_USAGE = 2;
  private static final String CHECK = "--check-config";
  private static final String KEY_STORE = "quarkus.http.ssl.certificate.key-store-";

  // Of the thread that starts the process.
  private static boolean isTls;
  private static String bind;

  private final HttpServer server;

  /** With the server, which listens when the process runs. */
  @Inject
  public WebMain(HttpServer server) {
    this.server = server;
  }

  /** The process; does not return before it ends. */
  public static void main(String... args) {
    boolean checkOnly = args.length == 2 && args[0].equals(CHECK);
    if (args.length != 1 && !checkOnly || args[args.length - 1].startsWith("-")) {
      System.err.println("usage: web [" + CHECK + "] PROPERTIES-FILE");
      System.exit(WRONG_USAGE);
    }
    Path file = Path.of(args[args.length - 1]);
    try {
      configure(WebSettings.read(file));
    } catch (IOException | IllegalArgumentException e) {
      String what = checkOnly ? "be started with this configuration" : "start";
      System.err.println("web cannot " + what + ": " + e.getMessage());
      System.exit(FAILED);
    }
    if (checkOnly) {
      System.out.println("web can be started with this configuration: " + file);
      System.exit(0);
    }
    Quarkus.run(WebMain.class, args);
  }

  /** Says to Quarkus what our keys say. */
  private static void configure(WebSettings settings) throws IOException {
    bind = settings.bind();
    System.setProperty("quarkus.http.host", bind);
    isTls = settings.isTls();
    if (isTls) {
      SslFile file = settings.serverFile();
      System.setProperty("quarkus.http.insecure-requests", "disabled");
      System.setProperty("quarkus.http.ssl-port", Integer.toString(settings.port()));
      System.setProperty(KEY_STORE + "file", file.get("ssl.server.keystore.location"));
      String type = file.get("ssl.server.keystore.type");
      System.setProperty(KEY_STORE + "file-type", type.isEmpty() ? "jks" : type);
      System.setProperty(KEY_STORE + "password", file.get("ssl.server.keystore.password"));
      String keyPassword = file.get("ssl.server.keystore.keypassword");
      if (!keyPassword.isEmpty()) {
        System.setProperty(KEY_STORE + "alias-password", keyPassword);
      }
    } else {
      System.setProperty("quarkus.http.port", Integer.toString(settings.port()));
    }
    String log = System.getProperty("sailfish.log.file", "");
    if (!log.isEmpty()) {
      System.setProperty("quarkus.log.file.enabled", "true");
      System.setProperty("quarkus.log.file.path", log);
      System.setProperty("quarkus.log.console.enabled", "false");
    }
    String level = System.getProperty("sailfish.log.level", "");
    if (!level.isEmpty()) {
      System.setProperty("quarkus.log.category.\"dev.sailfish\".level", level);
    }
  }

  @Override
  public int run(String... args) {
    int port = isTls ? server.getSecurePort() : server.getPort();
    LOG.infof("web ready %s:%d web=%d", bind, port, port);
    Quarkus.waitForExit();
    return 0;
  }
}
