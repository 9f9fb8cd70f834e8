package dev.varve.matrix.differential;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Notes about a series that OpenTSDB was asked to create and does not find right after it wrote
 * them. Requests that follow differ too: it has no notes there, and Varve has.
 */
final class LostNotes {
  private static final String DOCUMENTED =
      "| notes about a series that has none, with `create=true` |";

  private static final Pattern CREATES = Pattern.compile("/api/uid/tsmeta\\?m=.*&create=true");

  private static final Pattern NONE =
      Pattern.compile(
          "^\\[]$|Could not find Timeseries meta data|Requested TSMeta did not exist|Could not find TSMeta");

  private boolean lost;

  List<Rule> rules() {
    return List.of(
        new Rule(DOCUMENTED, (both, difference) -> losesNotes(both)),
        new Rule(DOCUMENTED, (both, difference) -> lost && missesNotes(both)));
  }

  private boolean losesNotes(Case both) {
    boolean loses =
        CREATES.matcher(both.request().path()).matches()
            && both.statuses(400, 200)
            && both.theirs().body().contains("\"message\":\"Object was null\"");
    lost |= loses;
    return loses;
  }

  private static boolean missesNotes(Case both) {
    return both.request().path().startsWith("/api/uid/tsmeta")
        && both.ours().status() == 200
        && both.says(NONE);
  }
}
