package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a trace with the wrong order is recognised. */
class SystemCallTraceTest {
  private static final String REQUEST =
      "10 read(45<socket:[7]>, \"POST /api HTTP/1.1\\r\\n\\r\\nthe marker\", 8192) = 99";
  private static final String LOGGED =
      "11 write(20</data/000004.log>, \"\\1\\2the marker\", 64) = 64";
  private static final String SYNCED = "11 fdatasync(20</data/000004.log>) = 0";
  private static final String ANSWER =
      "12 write(45<socket:[7]>, \"HTTP/1.1 204 No Content\\r\\n\", 40) = 40";

  private static String verdict(String... lines) {
    return SystemCallTrace.parse(List.of(lines)).verdict("the marker");
  }

  @Test
  void seesTheRightOrder() {
    assertThat(verdict(REQUEST, LOGGED, SYNCED, ANSWER)).isEqualTo("synced before it was answered");
  }

  @Test
  void seesASyncThatComesTooLate() {
    assertThat(verdict(REQUEST, LOGGED, ANSWER, SYNCED))
        .isEqualTo("answered at line 2, synced at line 3");
  }

  @Test
  void seesASyncThatHadNotEnded() {
    assertThat(
            verdict(
                REQUEST,
                LOGGED,
                "11 fdatasync(20</data/000004.log> <unfinished ...>",
                ANSWER,
                "11 <... fdatasync resumed>)           = 0"))
        .isEqualTo("answered at line 3, synced at line 4");
  }

  @Test
  void countsNoSyncThatBeganBeforeTheDataWasWritten() {
    assertThat(verdict(REQUEST, SYNCED, LOGGED, ANSWER)).isEqualTo("the log was not synced");
    assertThat(
            verdict(
                REQUEST,
                "11 fdatasync(20</data/000004.log> <unfinished ...>",
                LOGGED,
                "11 <... fdatasync resumed>) = 0",
                ANSWER))
        .isEqualTo("the log was not synced");
  }

  @Test
  void countsNoSyncOfAnotherFileAndNoneThatFailed() {
    assertThat(verdict(REQUEST, LOGGED, "11 fdatasync(21</data/000005.log>) = 0", ANSWER))
        .isEqualTo("the log was not synced");
    assertThat(
            verdict(
                REQUEST,
                LOGGED,
                "11 fdatasync(20</data/000004.log>) = -1 EIO (Input/output error)",
                ANSWER))
        .isEqualTo("the log was not synced");
  }

  @Test
  void missesWhatIsNotThere() {
    assertThat(verdict(LOGGED, SYNCED, ANSWER)).isEqualTo("the request was not seen");
    assertThat(verdict(REQUEST, SYNCED, ANSWER)).isEqualTo("the data was not seen in a log");
    assertThat(verdict(REQUEST, LOGGED, SYNCED)).isEqualTo("no answer of success was seen");
  }
}
