package dev.sailfish.web.api;

import jakarta.ws.rs.core.Response;

/** A request is not answered; the message is for who asked. */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Response.Status status;

  ProblemException(Response.Status status, String detail) {
    super(detail);
    this.status = status;
  }

  /** There is no such thing, or the caller may not see it: both are said in the same words. */
  static ProblemException notFound(String what) {
    return new ProblemException(Response.Status.NOT_FOUND, "There is no " + what + ".");
  }

  Response.Status status() {
    return status;
  }
}
