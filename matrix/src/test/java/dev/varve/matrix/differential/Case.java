package dev.varve.matrix.differential;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A request with both answers.
 *
 * @param differences between the answers
 */
record Case(Request request, Answer theirs, Answer ours, List<Difference> differences) {
  Case(Request request, Answer theirs, Answer ours) {
    this(request, theirs, ours, Difference.between(theirs, ours));
  }

  boolean equal() {
    return differences.isEmpty();
  }

  /** Returns whether both have refused the request with the same status. */
  boolean refused(int status) {
    return theirs.status() == status && ours.status() == status;
  }

  boolean statuses(int theirStatus, int ourStatus) {
    return theirs.status() == theirStatus && ours.status() == ourStatus;
  }

  /** Returns whether the original's answer has a text that matches. */
  boolean says(Pattern text) {
    return text.matcher(theirs.body()).find();
  }
}
