package dev.sailfish.web.history;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.web.job.Archive;
import dev.sailfish.web.job.JobDetail;
import dev.sailfish.web.job.JobRow;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.h2.jdbcx.JdbcDataSource;

/**
 * The database of jobs that have ended: H2, in one file, over one connection. Thread-safe; threads
 * wait for each other.
 */
public final class History implements Archive, Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FILE = "history";
  private static final long DAY_MS = 86_400_000;

  /** Most jobs that live of which it is kept how far they were. */
  private static final int MOST_LIVING = 200;

  /** The file has room that is not used, and indexes: about so many bytes for one of a job. */
  private static final int FILE_BYTES = 2;

  private static final String TABLE =
      "create table if not exists job (id varchar(200) primary key, name varchar(1000) not null,"
          + " owner varchar(200) not null, state varchar(20) not null, finished bigint not null,"
          + " summary varchar not null, detail blob not null, ifiles blob not null,"
          + " plan blob not null, size bigint not null, wall bigint, cpu bigint, appended bigint,"
          + " sort bigint)";
  private static final String SORT = "alter table job add column if not exists sort bigint";
  private static final String LIVING =
      "create table if not exists living (id varchar(200) primary key, saved bigint not null,"
          + " series blob not null)";
  private static final String KEEP =
      "merge into living (id, saved, series) key (id) values (?, ?, ?)";
  private static final String PRUNE_LIVING =
      "delete from living where saved < ? or id not in"
          + " (select id from living order by saved desc limit ?)";
  private static final String BY_END = "create index if not exists job_finished on job (finished)";
  private static final String BY_NAME = "create index if not exists job_name on job (name, owner)";
  private static final String SAVE =
      "merge into job (id, name, owner, state, finished, summary, detail, ifiles, plan, size, wall,"
          + " cpu, appended, sort) key (id) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String PREVIOUS =
      "select id, wall, cpu, sort, appended, finished, summary from job where name = ? and owner = ? and"
          + " id <> ? and state = 'SUCCEEDED' order by finished desc limit 50";

  private final Connection connection;
  private final int days;
  private final long bytes;

  private History(Connection connection, int days, long bytes) {
    this.connection = connection;
    this.days = days;
    this.bytes = bytes;
  }

  /**
   * Opens the database, and makes it if it is not there.
   *
   * @param directory of its file; empty: jobs are kept in memory, and go with the process
   * @param days after which a job goes
   * @param bytes that the file may take, about
   * @throws IOException naming the directory when it cannot be used
   */
  public static History open(Optional<Path> directory, int days, long bytes) throws IOException {
    JdbcDataSource source = new JdbcDataSource();
    try {
      if (directory.isPresent()) {
        Files.createDirectories(directory.get());
        // The process closes it itself, when nobody uses it any more.
        source.setURL(
            "jdbc:h2:file:"
                + directory.get().toAbsolutePath().resolve(FILE)
                + ";DB_CLOSE_ON_EXIT=FALSE");
      } else {
        source.setURL("jdbc:h2:mem:");
      }
      Connection connection = source.getConnection();
      try (Statement statement = connection.createStatement()) {
        statement.execute(TABLE);
        statement.execute(SORT);
        statement.execute(LIVING);
        statement.execute(BY_END);
        statement.execute(BY_NAME);
      }
      return new History(connection, days, bytes);
    } catch (SQLException e) {
      throw new IOException(
          "the history of jobs cannot be opened: directory="
              + directory.map(Path::toString).orElse("none")
              + ": "
              + e.getMessage()
              + "; if another process has it open, stop that one; if it is damaged, move its files"
              + " away",
          e);
    }
  }

  @Override
  public synchronized void save(Ended job) throws IOException {
    JobRow row = job.row();
    byte[] detail = Zipped.of(job.detail());
    byte[] ifiles = Zipped.of(job.ifiles());
    byte[] plan = Zipped.of(job.plan());
    String summary = JSON.writeValueAsString(row);
    long size =
        (long) summary.getBytes(StandardCharsets.UTF_8).length
            + detail.length
            + ifiles.length
            + plan.length;
    try (PreparedStatement save = connection.prepareStatement(SAVE)) {
      save.setString(1, row.id());
      save.setString(2, cut(row.name(), 1000));
      save.setString(3, cut(row.user(), 200));
      save.setString(4, row.state());
      save.setLong(5, row.finishedMs() == null ? row.heardMs() : row.finishedMs());
      save.setString(6, summary);
      save.setBytes(7, detail);
      save.setBytes(8, ifiles);
      save.setBytes(9, plan);
      save.setLong(10, size);
      save.setObject(11, job.cost().wallMs());
      save.setObject(12, job.cost().taskCpuMs());
      save.setObject(13, row.appendedBytes());
      save.setObject(14, job.cost().sortCpuMs());
      save.executeUpdate();
      delete("living", row.id());
    } catch (SQLException e) {
      throw new IOException("job=" + row.id() + " is not kept: " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void keepSeries(String job, List<JobDetail.Point> series, long nowMs)
      throws IOException {
    try (PreparedStatement keep = connection.prepareStatement(KEEP)) {
      keep.setString(1, job);
      keep.setLong(2, nowMs);
      keep.setBytes(3, Zipped.of(JSON.writeValueAsString(series)));
      keep.executeUpdate();
    } catch (SQLException e) {
      throw new IOException("the progress of job=" + job + " is not kept: " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized Map<String, List<JobDetail.Point>> series() throws IOException {
    Map<String, List<JobDetail.Point>> all = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("select id, series from living")) {
      while (found.next()) {
        String points = Zipped.text(found.getBytes(2));
        all.put(found.getString(1), List.of(JSON.readValue(points, JobDetail.Point[].class)));
      }
      return all;
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }

  @Override
  public synchronized Optional<String> document(String job, Document document) throws IOException {
    String column = document.name().toLowerCase(Locale.ROOT);
    try (PreparedStatement find =
        connection.prepareStatement("select " + column + " from job where id = ?")) {
      find.setString(1, job);
      try (ResultSet found = find.executeQuery()) {
        return found.next() ? Optional.of(Zipped.text(found.getBytes(1))) : Optional.empty();
      }
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  @Override
  public synchronized List<JobRow> rows(int most) throws IOException {
    List<JobRow> rows = new ArrayList<>();
    try (PreparedStatement list =
        connection.prepareStatement("select summary from job order by finished desc limit ?")) {
      list.setInt(1, most);
      try (ResultSet found = list.executeQuery()) {
        while (found.next()) {
          rows.add(row(found, 1));
        }
      }
      return rows;
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  @Override
  public synchronized Optional<JobRow> row(String job) throws IOException {
    try (PreparedStatement find =
        connection.prepareStatement("select summary from job where id = ?")) {
      find.setString(1, job);
      try (ResultSet found = find.executeQuery()) {
        return found.next() ? Optional.of(row(found, 1)) : Optional.empty();
      }
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  private static JobRow row(ResultSet found, int column) throws IOException, SQLException {
    return JSON.readValue(found.getString(column), JobRow.class);
  }

  @Override
  public synchronized Optional<JobDetail.Previous> previous(
      String job, String name, String user, String viewAcl) throws IOException {
    try (PreparedStatement find = connection.prepareStatement(PREVIOUS)) {
      find.setString(1, cut(name, 1000));
      find.setString(2, cut(user, 200));
      find.setString(3, job);
      try (ResultSet found = find.executeQuery()) {
        while (found.next()) {
          if (Objects.equals(row(found, 7).viewAcl(), viewAcl)) {
            return Optional.of(previous(found));
          }
        }
        return Optional.empty();
      }
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  private static JobDetail.Previous previous(ResultSet found) throws SQLException {
    return new JobDetail.Previous(
        found.getString(1),
        found.getObject(2, Long.class),
        found.getObject(3, Long.class),
        found.getObject(4, Long.class),
        found.getObject(5, Long.class),
        found.getObject(6, Long.class));
  }

  /**
   * Has jobs go that are too old, and the oldest of what is too much.
   *
   * @param nowMs milliseconds since 1970
   * @return how many have gone
   * @throws IOException when the database cannot be changed
   */
  public synchronized int prune(long nowMs) throws IOException {
    try (PreparedStatement old =
        connection.prepareStatement("delete from job where finished < ?")) {
      old.setLong(1, nowMs - days * DAY_MS);
      int gone = old.executeUpdate();
      for (String job : tooMuch()) {
        gone += delete("job", job);
      }
      pruneLiving(nowMs);
      return gone;
    } catch (SQLException e) {
      throw new IOException("the history cannot be pruned: " + e.getMessage(), e);
    }
  }

  private void pruneLiving(long nowMs) throws SQLException {
    try (PreparedStatement prune = connection.prepareStatement(PRUNE_LIVING)) {
      prune.setLong(1, nowMs - DAY_MS);
      prune.setInt(2, MOST_LIVING);
      prune.executeUpdate();
    }
  }

  /** The oldest jobs, without which the others have room. */
  private List<String> tooMuch() throws SQLException {
    List<String> jobs = new ArrayList<>();
    long left = bytes / FILE_BYTES;
    try (Statement statement = connection.createStatement();
        ResultSet newest =
            statement.executeQuery("select id, size from job order by finished desc")) {
      while (newest.next()) {
        left -= newest.getLong(2);
        if (left < 0) {
          jobs.add(newest.getString(1));
        }
      }
    }
    return jobs;
  }

  private int delete(String table, String job) throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement("delete from " + table + " where id = ?")) {
      delete.setString(1, job);
      return delete.executeUpdate();
    }
  }

  private static IOException unreadable(SQLException e) {
    return new IOException("the history of jobs cannot be read: " + e.getMessage(), e);
  }

  /** Closes the database; what was saved is on disk. */
  @Override
  public synchronized void close() throws IOException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("shutdown");
    } catch (SQLException e) {
      throw new IOException("the history was not closed well: " + e.getMessage(), e);
    }
  }
}
