package dev.sailfish.web.api;

import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.web.WebServices;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.TrustOptions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/**
 * Takes no connection without a certificate, where {@code hadoop.ssl.require.client.cert} says so.
 */
@Singleton
public class ClientCertificates implements HttpServerOptionsCustomizer {
  private final WebServices services;

  /** With what knows which certificates are good. */
  @Inject
  public ClientCertificates(WebServices services) {
    this.services = services;
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    services
        .serverTls()
        .flatMap(TlsContext::clientTrust)
        .ifPresent(
            trust ->
                options
                    .setClientAuth(ClientAuth.REQUIRED)
                    .setTrustOptions(TrustOptions.wrap(trust)));
  }
}
