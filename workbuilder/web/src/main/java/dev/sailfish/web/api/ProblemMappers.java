package dev.sailfish.web.api;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Makes problems of what is thrown while a request is answered. */
public class ProblemMappers {
  private static final Logger LOG = Logger.getLogger(ProblemMappers.class);
  private static final int RETRY_AFTER_S = 5;

  /** What a resource refuses. */
  @ServerExceptionMapper
  public Response refused(ProblemException e, UriInfo uri) {
    return problem(e.status(), e.getMessage(), uri);
  }

  /** What the framework refuses. */
  @ServerExceptionMapper
  public Response refused(WebApplicationException e, UriInfo uri) {
    Response.StatusType status = e.getResponse().getStatusInfo();
    return problem(
        status, "The request cannot be answered: " + status.getReasonPhrase() + ".", uri);
  }

  /** A source does not answer. */
  @ServerExceptionMapper
  public Response silent(IOException e, UriInfo uri) {
    return problem(Response.Status.SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()), uri);
  }

  /** A defect. */
  @ServerExceptionMapper
  public Response defect(RuntimeException e, UriInfo uri) {
    LOG.errorf(e, "%s was not answered", uri.getPath());
    return problem(
        Response.Status.INTERNAL_SERVER_ERROR,
        "This is a defect; the log of the web process has the details.",
        uri);
  }

  private static Response problem(Response.StatusType status, String detail, UriInfo uri) {
    Problem problem =
        Problem.of(
            status.getReasonPhrase(),
            status.getStatusCode(),
            detail,
            uri.getRequestUri().getPath());
    Response.ResponseBuilder response =
        Response.status(status.getStatusCode()).entity(problem).type(Problem.TYPE);
    if (status.getStatusCode() == Response.Status.SERVICE_UNAVAILABLE.getStatusCode()) {
      response.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_S);
    }
    return response.build();
  }
}
