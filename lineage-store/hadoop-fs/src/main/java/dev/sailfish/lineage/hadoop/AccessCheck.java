package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.protocol.wire.StoreUser;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;

/** Who may do what with a file, by its mode. */
final class AccessCheck {
  private AccessCheck() {}

  /**
   * @throws AccessControlException when the user may not
   */
  static void require(StoreUser asking, FileStatus status, FsAction mode)
      throws AccessControlException {
    FsPermission permission = status.getPermission();
    FsAction permitted;
    if (asking.getSuperuser()) {
      permitted = FsAction.ALL;
    } else if (asking.getName().equals(status.getOwner())) {
      permitted = permission.getUserAction();
    } else if (asking.getGroupsList().contains(status.getGroup())) {
      permitted = permission.getGroupAction();
    } else {
      permitted = permission.getOtherAction();
    }
    if (!permitted.implies(mode)) {
      throw new AccessControlException(
          "%s may not access %s for %s: owner=%s group=%s mode=%s"
              .formatted(
                  asking.getName(),
                  status.getPath(),
                  mode,
                  status.getOwner(),
                  status.getGroup(),
                  permission));
    }
  }
}
