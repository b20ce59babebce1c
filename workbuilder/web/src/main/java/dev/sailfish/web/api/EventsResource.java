package dev.sailfish.web.api;

import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import jakarta.inject.Inject;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.io.IOException;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Server-sent events. */
@Path("/api/v1/events")
@Tag(name = "events")
public class EventsResource {
  private static final Duration COMMENTS = Duration.ofSeconds(15);

  private final LiveTopics topics;
  private final Asker asker;

  /** With what is live. */
  @Inject
  public EventsResource(LiveTopics topics, Asker asker) {
    this.topics = topics;
    this.asker = asker;
  }

  /** Events of one topic; comments keep the connection. */
  @GET
  @Blocking
  @Produces(MediaType.SERVER_SENT_EVENTS)
  @Operation(
      summary = "The JSON of a topic, at once and at each change",
      description =
          "Topics are jobs, job:ID, cluster and store. An event's name is that of its topic, its data"
              + " what GET answers to the same caller. At most one a second. The stream ends when"
              + " the login does, or when the caller may not see the job any more.")
  @APIResponse(
      responseCode = "200",
      content =
          @Content(
              mediaType = MediaType.SERVER_SENT_EVENTS,
              schema = @Schema(implementation = String.class)))
  @APIResponse(responseCode = "404", description = "There is no such topic")
  @APIResponse(responseCode = "503", description = "There are too many clients")
  public Multi<OutboundSseEvent> events(
      @QueryParam("topic") @DefaultValue("") String topic, @Context Sse sse) throws IOException {
    Multi<OutboundSseEvent> data =
        topics
            .follow(topic, asker.login())
            .map(
                json ->
                    sse.newEventBuilder()
                        .name(topic)
                        .mediaType(MediaType.TEXT_PLAIN_TYPE)
                        .data(String.class, json)
                        .build());
    Multi<OutboundSseEvent> comments =
        Multi.createFrom()
            .ticks()
            .startingAfter(COMMENTS)
            .every(COMMENTS)
            .onOverflow()
            .drop()
            .map(tick -> sse.newEventBuilder().comment("still here").build());
    // Comments would go on when the data has ended.
    OutboundSseEvent end = sse.newEventBuilder().comment("it has ended").build();
    Multi<OutboundSseEvent> ending = data.onCompletion().continueWith(end);
    return Multi.createBy()
        .merging()
        .withRequests(1)
        .streams(ending, comments)
        .select()
        .first(event -> event != end);
  }
}
