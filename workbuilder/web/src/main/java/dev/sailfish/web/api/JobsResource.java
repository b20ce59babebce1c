package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import dev.sailfish.web.job.Archive;
import dev.sailfish.web.job.HistogramView;
import dev.sailfish.web.job.IfilesView;
import dev.sailfish.web.job.Job;
import dev.sailfish.web.job.JobDetail;
import dev.sailfish.web.job.JobsPage;
import dev.sailfish.web.job.PlanView;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.shuffle.Histogram;
import jakarta.inject.Inject;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Jobs, live and finished. */
@Path("/api/v1/jobs")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "jobs")
public class JobsResource {
  private static final String NO_JOB = "There is no such job";

  private final WebServices services;
  private final Asker asker;

  /** With what is known of jobs. */
  @Inject
  public JobsResource(WebServices services, Asker asker) {
    this.services = services;
    this.asker = asker;
  }

  /** A page of them. */
  @GET
  @Operation(summary = "A page of jobs, live and finished")
  @APIResponse(responseCode = "400", description = "A parameter has a value that is not allowed")
  @APIResponseSchema(value = JobsPage.class, responseCode = "200")
  public JobsPage jobs(@BeanParam JobParameters parameters) {
    return services.page(parameters.query(), asker.viewer());
  }

  /** One of them. */
  @GET
  @Path("{id}")
  @Operation(summary = "A job, without its I-files and its plan")
  @APIResponseSchema(value = JobDetail.class, responseCode = "200")
  @APIResponse(responseCode = "404", description = NO_JOB)
  public Response job(@PathParam("id") String id) throws IOException {
    boolean everything = asker.viewer().everything();
    return found(id, Archive.Document.DETAIL, job -> services.watch().detail(job, everything));
  }

  /** Its I-files. */
  @GET
  @Path("{id}/ifiles")
  @Operation(summary = "The I-files of a job, by partition")
  @APIResponseSchema(value = IfilesView.class, responseCode = "200")
  @APIResponse(responseCode = "404", description = NO_JOB)
  public Response ifiles(@PathParam("id") String id) throws IOException {
    return found(id, Archive.Document.IFILES, job -> new IfilesView(job.ifiles(), job.heardMs()));
  }

  /** Its reduce work. */
  @GET
  @Path("{id}/plan")
  @Operation(summary = "The reduce work of a job, planned and as it was")
  @APIResponseSchema(value = PlanView.class, responseCode = "200")
  @APIResponse(responseCode = "404", description = NO_JOB)
  public Response plan(@PathParam("id") String id) throws IOException {
    return found(id, Archive.Document.PLAN, job -> job.plan(services.clock().wallMs()));
  }

  /** What is shown of a job that lives, or what was kept of it when it ended. */
  private Response found(String id, Archive.Document document, Function<Job, Object> shown)
      throws IOException {
    asker.requireJob(id);
    Optional<Job> living = services.book().living(id);
    return living.isPresent()
        ? Response.ok(shown.apply(living.get())).build()
        : ended(id, document);
  }

  private Response ended(String id, Archive.Document document) throws IOException {
    String kept =
        services
            .book()
            .archive()
            .document(id, document)
            .orElseThrow(() -> ProblemException.notFound("job of this id"));
    return Response.ok(kept, MediaType.APPLICATION_JSON_TYPE).build();
  }

  /** Between which keys the data of a partition is. */
  @GET
  @Path("{id}/ifiles/{partition}/histogram")
  @Operation(summary = "Between which keys the data of a partition is, and where it was split")
  @APIResponseSchema(value = HistogramView.class, responseCode = "200")
  @APIResponse(
      responseCode = "404",
      description = "There is no such job or partition, or its I-files are gone")
  @APIResponse(responseCode = "503", description = "A server that has the indexes does not answer")
  public HistogramView histogram(
      @PathParam("id") String id, @PathParam("partition") String partition) throws IOException {
    asker.requireJob(id);
    Optional<Job> living = services.book().living(id);
    if (living.isEmpty()) {
      if (services.book().ended(id).isPresent()) {
        throw new ProblemException(
            Response.Status.NOT_FOUND, "The job has ended, and its I-files are gone with it.");
      }
      throw ProblemException.notFound("job of this id");
    }
    Job job = living.get();
    int number = number(partition);
    Histogram histogram =
        services
            .indexes()
            .histogram(job.id(), number)
            .orElseThrow(() -> ProblemException.notFound("I-file of this job any more"));
    AmReport report = job.report();
    return HistogramView.of(histogram, report == null ? null : report.plan());
  }

  private static int number(String partition) {
    if (!partition.matches("[0-9]{1,9}")) {
      throw ProblemException.notFound("partition " + partition.replaceAll("[^!-~]", "?"));
    }
    return Integer.parseInt(partition);
  }
}
