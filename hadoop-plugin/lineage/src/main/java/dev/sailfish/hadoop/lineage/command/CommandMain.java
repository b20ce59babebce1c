package dev.sailfish.hadoop.lineage.command;

import dev.sailfish.hadoop.lineage.recompute.OrderFile;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.hadoop.FilesById;
import dev.sailfish.lineage.hadoop.LineageFileSystem;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ApplicationMaster of a step that runs a command: in the only container that the application
 * has. It tells the ResourceManager how far it is, and at the end why it failed.
 */
public final class CommandMain {
  private static final Logger LOG = LoggerFactory.getLogger(CommandMain.class);
  private static final String LOGS = "yarn.app.container.log.dir";
  private static final URI STORE = URI.create("lineage:///");

  private final Configuration conf;
  private final CommandOrder order;

  private CommandMain(Configuration conf, CommandOrder order) {
    this.conf = conf;
    this.order = order;
  }

  /** The process; its arguments are those of a {@link CommandOrder}. */
  public static void main(String[] args) {
    boolean done = false;
    try {
      Configuration conf = new YarnConfiguration();
      conf.addResource(Path.of(CommandOrder.CONFIGURATION).toUri().toURL());
      OrderFile.seeTheStore(conf);
      UserGroupInformation.setConfiguration(conf);
      CommandMain master = new CommandMain(conf, CommandOrder.of(List.of(args)));
      PrivilegedExceptionAction<Boolean> work = master::work;
      done = owner().doAs(work);
    } catch (IOException | InterruptedException | RuntimeException e) {
      LOG.error("The ResourceManager cannot be told how it ends", e);
    }
    System.exit(done ? 0 : 1);
  }

  /** Hooks end the command. In a thread of its own, as they wait for that of the caller. */
  private static void endSoon() {
    new Thread(() -> System.exit(1), "application-end").start();
  }

  /** Who the application runs for: without Kerberos, processes of all users may have one user. */
  private static UserGroupInformation owner() throws IOException {
    UserGroupInformation owner =
        UserGroupInformation.createRemoteUser(System.getenv(Environment.USER.name()));
    owner.addCredentials(UserGroupInformation.getCurrentUser().getCredentials());
    return owner;
  }

  private boolean work() throws IOException {
    Recipe recipe = Recipe.parseFrom(Files.readAllBytes(Path.of(CommandOrder.RECIPE)));
    try (FileSystem store = FileSystem.newInstance(STORE, conf)) {
      FilesById files =
          new FilesById((LineageFileSystem) store, new FileSystem.Statistics(STORE.getScheme()));
      File logs = new File(System.getProperty(LOGS, "."));
      CommandRun run = new CommandRun(files, recipe.getCommand(), order, logs);
      try (ResourceManagerLink link =
          new ResourceManagerLink(conf, run::progress, CommandMain::endSoon)) {
        String cause = run(run);
        link.unregister(cause);
        return cause.isEmpty();
      }
    }
  }

  /** Why it failed; empty: it did not. */
  private static String run(CommandRun run) {
    try {
      run.run(new File(""));
      return "";
    } catch (IOException | RuntimeException e) {
      LOG.error("The step has failed", e);
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
  }
}
