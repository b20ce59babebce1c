package dev.sailfish.web.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * Names the report that an ApplicationMaster has sent last.
 *
 * @param attempt of the ApplicationMaster, from 1
 * @param sequence of the report
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record LastReport(int attempt, long sequence) {}
