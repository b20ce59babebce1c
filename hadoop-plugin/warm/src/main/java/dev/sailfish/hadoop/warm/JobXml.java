package dev.sailfish.hadoop.warm;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.apache.hadoop.mapred.JobConf;

/**
 * The text of {@code job.xml}, which Hadoop writes anew for each attempt although a few values
 * differ, such as the attempt's id: those are replaced in what Hadoop has written for the attempt
 * before. For one attempt at a time.
 */
final class JobXml {
  /** What stands in XML as it is. */
  private static final Pattern PLAIN = Pattern.compile("[\\w./:,@ +-]*");

  private String text;
  private Map<String, String> values = Map.of();
  private Map<String, String[]> sources = Map.of();

  /** Hadoop writes it once, before user code sees it; what that writes is not remembered. */
  private static final class Remembering extends JobConf {
    private final JobXml last;
    private final AtomicBoolean written = new AtomicBoolean();

    private Remembering(JobConf conf, JobXml last) {
      super(conf);
      this.last = last;
    }

    @Override
    public void writeXml(OutputStream out) throws IOException {
      if (written.getAndSet(true)) {
        super.writeXml(out);
        return;
      }
      if (!last.change(this)) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        super.writeXml(bytes);
        last.remember(this, bytes.toString(StandardCharsets.UTF_8));
      }
      out.write(last.text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  /** A copy of a configuration for one attempt, which is written sooner than others. */
  JobConf copy(JobConf conf) {
    return new Remembering(conf, this);
  }

  private void remember(JobConf conf, String written) {
    text = written;
    values = values(conf);
    sources = new HashMap<>();
    values.keySet().forEach(name -> sources.put(name, conf.getPropertySources(name)));
  }

  private static Map<String, String> values(JobConf conf) {
    Map<String, String> values = new HashMap<>();
    conf.forEach(entry -> values.put(entry.getKey(), entry.getValue()));
    return values;
  }

  /** Makes the text that of another configuration; false, and nothing is changed, if it cannot. */
  private boolean change(JobConf conf) {
    Map<String, String> next = values(conf);
    if (!next.keySet().equals(values.keySet())) {
      return false;
    }
    StringBuilder changed = new StringBuilder(text);
    for (Map.Entry<String, String> entry : next.entrySet()) {
      String name = entry.getKey();
      String before = values.get(name);
      if (before.equals(entry.getValue())) {
        continue;
      }
      boolean same = Arrays.equals(sources.get(name), conf.getPropertySources(name));
      if (!same || !replace(changed, name, before, entry.getValue())) {
        return false;
      }
    }
    text = changed.toString();
    values = next;
    return true;
  }

  private static boolean replace(StringBuilder text, String name, String before, String after) {
    String head = "<name>" + name + "</name><value>";
    String old = head + before + "</value>";
    int at = text.indexOf(old);
    boolean plain = PLAIN.matcher(before).matches() && PLAIN.matcher(after).matches();
    if (!plain || at < 0 || text.indexOf(old, at + 1) >= 0) {
      return false;
    }
    text.replace(at + head.length(), at + head.length() + before.length(), after);
    return true;
  }
}
