package dev.sailfish.web.job;

import dev.sailfish.web.source.shuffle.IfileRow;
import java.util.List;

/**
 * The I-files of a job.
 *
 * @param items by partition
 * @param heardMs when a source told of the job last, in milliseconds since 1970
 */
public record IfilesView(List<IfileRow> items, Long heardMs) {}
