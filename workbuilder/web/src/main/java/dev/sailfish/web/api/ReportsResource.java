package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.report.LastReport;
import dev.sailfish.web.report.ReportRefusedException;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.NonBlocking;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** What ApplicationMasters tell of their jobs. */
@Path("/api/v1/reports")
@Tag(name = "reports")
public class ReportsResource {
  private static final int REPORT_BYTES = 8 << 20;
  private static final int LAST_BYTES = 16 << 10;

  private final WebServices services;
  private final CurrentVertxRequest request;
  private final Bodies bodies;

  /** With the desk that takes them. */
  @Inject
  public ReportsResource(WebServices services, CurrentVertxRequest request, Bodies bodies) {
    this.services = services;
    this.request = request;
    this.bodies = bodies;
  }

  /** Takes one. */
  @POST
  @Path("{job}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(summary = "Takes what the ApplicationMaster of a job tells of it")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = AmReport.class)))
  @APIResponse(responseCode = "204", description = "It was taken")
  @APIResponse(responseCode = "400", description = "It is no report of this version")
  @APIResponse(responseCode = "404", description = "No job of this id has signed it")
  @APIResponse(responseCode = "503", description = "The signature cannot be checked now: try again")
  @NonBlocking
  public CompletionStage<Response> take(
      @PathParam("job") String job, @HeaderParam("Sailfish-Signature") String signature) {
    return bodies.answer(request.getCurrent(), REPORT_BYTES, body -> take(job, signature, body));
  }

  private Response take(String job, String signature, byte[] body) {
    try {
      services.reports().take(job, signature, body);
      return Response.noContent().build();
    } catch (ReportRefusedException e) {
      throw problem(e);
    }
  }

  /** Says whether the last one is known. */
  @POST
  @Path("{job}/last")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Says whether the last report of an ApplicationMaster is known",
      description =
          "The body is an object with attempt and sequence of that report, signed as a report is."
              + " An ApplicationMaster asks now and then, as a process that was started again"
              + " knows of no report.")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = LastReport.class)))
  @APIResponse(responseCode = "204", description = "It is known")
  @APIResponse(responseCode = "400", description = "The body names no report")
  @APIResponse(responseCode = "404", description = "No job of this id has signed it")
  @APIResponse(responseCode = "409", description = "It is not known: send it again")
  @APIResponse(responseCode = "503", description = "The signature cannot be checked now: try again")
  @NonBlocking
  public CompletionStage<Response> last(
      @PathParam("job") String job, @HeaderParam("Sailfish-Signature") String signature) {
    return bodies.answer(request.getCurrent(), LAST_BYTES, body -> last(job, signature, body));
  }

  private Response last(String job, String signature, byte[] body) {
    try {
      if (services.reports().knows(job, signature, body)) {
        return Response.noContent().build();
      }
    } catch (ReportRefusedException e) {
      throw problem(e);
    }
    throw new ProblemException(
        Response.Status.CONFLICT, "That report is not known here: send it again.");
  }

  private static ProblemException problem(ReportRefusedException refusal) {
    return new ProblemException(
        switch (refusal.reason()) {
          case WRONG -> Response.Status.BAD_REQUEST;
          case UNKNOWN -> Response.Status.NOT_FOUND;
          case LATER -> Response.Status.SERVICE_UNAVAILABLE;
        },
        refusal.getMessage());
  }
}
