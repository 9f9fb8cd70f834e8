package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that the ledger of the crash loop notices faults. */
class LedgerTest {
  private static final Ledger.Key KEY =
      new Ledger.Key("d", new KairosQuery.Wanted("m", Map.of("client", "1")));

  private final Ledger ledger = new Ledger();

  private List<String> settle(Map<Long, String> found) {
    TreeMap<Long, BigDecimal> samples = new TreeMap<>();
    found.forEach((time, value) -> samples.put(time, new BigDecimal(value)));
    return ledger.settle(KEY, samples).stream()
        .map(problem -> problem.substring(0, problem.indexOf(':')))
        .toList();
  }

  private void acknowledged(long time, String value) {
    ledger.send(KEY, time, value);
    ledger.acknowledge(KEY, time, value);
  }

  @Test
  void noticesWhatWasLost() {
    acknowledged(1, "10");
    acknowledged(2, "20");
    assertThat(settle(Map.of(2L, "20"))).containsExactly("lost");
  }

  @Test
  void noticesWhatWasChanged() {
    acknowledged(1, "10");
    acknowledged(2, "0.1");
    assertThat(settle(Map.of(1L, "11", 2L, "0.10000000000000002")))
        .containsExactly("changed", "changed");
  }

  @Test
  void noticesAnIntegerThatCameBackAsADouble() {
    acknowledged(1, "10");
    assertThat(settle(Map.of(1L, "10.0"))).containsExactly("changed");
  }

  @Test
  void noticesWhatNobodySent() {
    acknowledged(1, "10");
    assertThat(settle(Map.of(1L, "10", 2L, "20"))).containsExactly("invented");
  }

  @Test
  void noticesAnOlderValueInPlaceOfALaterOne() {
    acknowledged(1, "10");
    acknowledged(1, "11");
    assertThat(settle(Map.of(1L, "10"))).containsExactly("changed");
  }

  @Test
  void allowsEitherOutcomeOfWhatWasNotAnswered() {
    acknowledged(1, "10");
    ledger.send(KEY, 1, "11");
    ledger.send(KEY, 2, "20");
    assertThat(settle(Map.of(1L, "10"))).isEmpty();
  }

  @Test
  void holdsToTheOutcomeOnceItWasSeen() {
    ledger.send(KEY, 1, "10");
    ledger.send(KEY, 2, "20");
    assertThat(settle(Map.of(1L, "10"))).isEmpty();
    assertThat(settle(Map.of(2L, "20"))).containsExactly("lost", "invented");
  }
}
