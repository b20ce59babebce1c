package dev.sailfish.web.rights;

/**
 * Who may see a job, as MapReduce decides it: its owner, who is in its view list, and
 * administrators. Immutable.
 *
 * @param lists whether lists count; if not, everybody who has proved who he is may see all jobs
 */
public record JobRights(boolean lists) {
  /**
   * Whether somebody may see a job.
   *
   * @param owner of the job; null or empty: nobody knows him
   * @param viewList its {@code mapreduce.job.acl-view-job}; null: it is not known, and allows
   *     nobody
   */
  public boolean maySee(Viewer viewer, String owner, String viewList) {
    if (viewer.everything() || !lists || viewer.user().equals(owner)) {
      return true;
    }
    return viewList != null && AccessList.of(viewList).allows(viewer.user(), viewer.groups());
  }
}
