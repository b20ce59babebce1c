package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import dev.sailfish.web.source.servers.ClusterView;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The servers of the cluster. */
@Path("/api/v1/cluster")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "cluster")
public class ClusterResource {
  private final WebServices services;
  private final Asker asker;

  /** With what is known of servers. */
  @Inject
  public ClusterResource(WebServices services, Asker asker) {
    this.services = services;
    this.asker = asker;
  }

  /** All of them. */
  @GET
  @Operation(summary = "Servers, what users take, and what an operator should do")
  public ClusterView cluster() {
    return services.clusterView(asker.viewer());
  }
}
