package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import dev.sailfish.web.rights.Viewer;
import dev.sailfish.web.source.store.Store;
import dev.sailfish.web.source.store.StoreFiles;
import dev.sailfish.web.source.store.StoreLineage;
import dev.sailfish.web.source.store.StoreView;
import jakarta.inject.Inject;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The lineage store. */
@Path("/api/v1/store")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "store")
public class StoreResource {
  private static final int MOST_PATH = 4096;

  private final WebServices services;
  private final Asker asker;

  /** With the store, if there is one. */
  @Inject
  public StoreResource(WebServices services, Asker asker) {
    this.services = services;
    this.asker = asker;
  }

  /** As a whole. */
  @GET
  @Operation(summary = "The lineage store as a whole, with its workers and checkpoints")
  public StoreView store() {
    return services.storeView(asker.viewer());
  }

  /** A directory of it. */
  @GET
  @Path("files")
  @Operation(summary = "Some files of a directory, where they are and how they are")
  @APIResponseSchema(value = StoreFiles.class, responseCode = "200")
  @APIResponse(responseCode = "404", description = "There is no such path, or no store")
  @APIResponse(responseCode = "503", description = "No lineage master answers")
  public StoreFiles files(
      @QueryParam("path") @DefaultValue("/") String path,
      @QueryParam("after") @DefaultValue("") String after)
      throws IOException {
    return asked(store -> store.files(checked(path), after), "file or directory of this path");
  }

  /** What a file was made of, and what was made of it. */
  @GET
  @Path("lineage")
  @Operation(summary = "What a file was made of, and what was made of it")
  @APIResponseSchema(value = StoreLineage.class, responseCode = "200")
  @APIResponse(responseCode = "404", description = "There is no such path, or no store")
  @APIResponse(responseCode = "503", description = "No lineage master answers")
  public StoreLineage lineage(@QueryParam("path") @DefaultValue("/") String path)
      throws IOException {
    return asked(store -> store.lineage(checked(path)), "file of this path");
  }

  private interface Question<T> {
    Optional<T> ask(Store store) throws IOException;
  }

  /** What the store answers to who asks. */
  private <T> T asked(Question<T> question, String what) throws IOException {
    Store store = present();
    Viewer viewer = asker.viewer();
    if (viewer.everything()) {
      return question.ask(store).orElseThrow(() -> ProblemException.notFound(what));
    }
    try (Store own = store.of(viewer.user(), viewer.groups())) {
      return question.ask(own).orElseThrow(() -> ProblemException.notFound(what));
    }
  }

  private Store present() {
    return services
        .store()
        .orElseThrow(
            () ->
                new ProblemException(
                    Response.Status.NOT_FOUND,
                    "No lineage store is configured: sailfish.web.lineage.masters says where one"
                        + " is."));
  }

  private static String checked(String path) {
    if (!path.startsWith("/") || path.length() > MOST_PATH) {
      throw new ProblemException(
          Response.Status.BAD_REQUEST,
          "path must begin with / and have at most " + MOST_PATH + " letters.");
    }
    return path;
  }
}
