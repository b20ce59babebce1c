package dev.sailfish.ground.wire.tls;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;

/** What a failure of TLS means, and what to do about it. */
public final class TlsFailure {
  private static final int MAX_CAUSES = 10;

  private TlsFailure() {}

  /** One sentence: the last cause's own words, and advice. */
  public static String explain(Throwable failure) {
    Throwable last = failure;
    String advice = advice(failure);
    for (int i = 0; i < MAX_CAUSES && last.getCause() != null; i++) {
      last = last.getCause();
      String better = advice(last);
      advice = better.isEmpty() ? advice : better;
    }
    String text = last.getMessage() == null ? last.toString() : last.getMessage();
    if (isPlain(text)) {
      return advice; // the text would show all that the peer has sent
    }
    return advice.isEmpty() ? text : text + ": " + advice;
  }

  private static String advice(Throwable cause) {
    if (cause instanceof CertificateExpiredException
        || cause instanceof CertificateNotYetValidException) {
      return "the peer's certificate is not valid at this time; renew it, or set the clocks";
    }
    if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
      return "no authority in this side's truststore has signed the peer's certificate; put that"
          + " authority's certificate into the truststore";
    }
    String text = cause.getMessage() == null ? "" : cause.getMessage();
    if (text.startsWith("Received fatal alert")) {
      return ofAlert(text);
    }
    if (text.contains("subject alternative") || text.startsWith("No name matching")) {
      return "the peer's certificate is for another host than it was asked for by; make one whose"
          + " subject alternative names have this name";
    }
    if (text.contains("Empty client certificate chain")) {
      return "the peer brought no certificate, and this side demands one ("
          + TlsContext.REQUIRE_CLIENT_CERT
          + "=true); set it for the peer too";
    }
    if (isPlain(text)) {
      return "the peer does not speak TLS; set tls=required for a daemon, sailfish.tls=true for a"
          + " job, or name the right port";
    }
    return "";
  }

  private static boolean isPlain(String text) {
    return text.contains("not an SSL/TLS record") || text.contains("unrecognized SSL message");
  }

  private static String ofAlert(String text) {
    if (text.contains("certificate") || text.contains("unknown_ca")) {
      return "the peer does not trust this side's certificate, or demands one and got none; see the"
          + " peer's log, and check that the certificate is valid now, is for this host's name and"
          + " is signed by an authority in the peer's truststore; where servers have "
          + TlsContext.REQUIRE_CLIENT_CERT
          + "=true clients need that too";
    }
    if (text.contains("protocol_version") || text.contains("handshake_failure")) {
      return "the two sides have no version of TLS or no cipher in common; TLS 1.3 is needed";
    }
    return "see the peer's log";
  }
}
