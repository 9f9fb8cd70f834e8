package dev.varve.server.influx;

import dev.varve.server.ingest.Intake;
import java.util.ArrayList;
import java.util.List;

/** Lines that could not be parsed: their number, and the errors of the first ones. */
final class BadLines {
  private static final int SHOWN = 10;

  private final List<String> first = new ArrayList<>();
  private int count;

  int count() {
    return count;
  }

  /** Returns the error of the first line. There must be one. */
  String first() {
    return first.getFirst();
  }

  void add(int number, String reason) {
    if (count++ < SHOWN) {
      first.add("line %d: %s".formatted(number, reason));
    }
  }

  /** Returns the error message. Agents recognise its beginning and do not retry the lines. */
  String message(Intake intake) {
    StringBuilder text = new StringBuilder("partial write: ");
    if (count > 0) {
      text.append("unable to parse %,d lines: ".formatted(count));
      list(first, count, text);
    }
    if (intake.refused() > 0) {
      List<String> reasons =
          intake.rejections().stream()
              .limit(SHOWN)
              .map(rejection -> rejection.key() + ": " + rejection.refusal().message())
              .toList();
      text.append("%,d values refused: ".formatted(intake.refused()));
      list(reasons, intake.refused(), text);
    }
    return text.append("%,d values written".formatted(intake.accepted())).toString();
  }

  private static void list(List<String> shown, long count, StringBuilder text) {
    text.append(String.join("; ", shown));
    if (count > shown.size()) {
      text.append("; and %,d more".formatted(count - shown.size()));
    }
    text.append("; ");
  }
}
