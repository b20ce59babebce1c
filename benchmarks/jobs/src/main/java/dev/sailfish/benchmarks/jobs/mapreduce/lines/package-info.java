/**
 * What the paper's seven jobs read: lines of text that are generated, one at a time, from their
 * index and a seed. The JDK only, because the bench and the jobs' tasks both see it.
 *
 * <pre>
 *   PaperJob ──▶ LineSource ──▶ Line
 *                 ├ LogLines     visits of a web site           LogCount, LogProc, LogRead
 *                 ├ ModelLines   N-day and 1-day user models    NdayModel
 *                 ├ EventLines   what users did                 BehaviorModel
 *                 ├ AdLines      impressions and clicks         ClickAttribution
 *                 └ GeoLines     impressions and where          SegmentExploder
 * </pre>
 */
package dev.sailfish.benchmarks.jobs.mapreduce.lines;
