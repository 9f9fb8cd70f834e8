package dev.varve.query.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private final Turns turns = new Turns(4, 3);

  private List<Turns.Turn> come(String client, int count) {
    return Stream.generate(() -> turns.come(client)).limit(count).toList();
  }

  @Test
  void keepsAQuarterForClientsOfWhichNoneRuns() {
    List<Turns.Turn> many = come("a", 4);
    assertThat(many).map(Turns.Turn::runs).containsExactly(true, true, true, false);
    assertThat(turns.come("b").runs()).isTrue();
    assertThat(turns.come("c").runs()).as("all four run").isFalse();
    assertThat(turns.running()).isEqualTo(4);
    assertThat(turns.waiting()).isEqualTo(2);
  }

  @Test
  void callsFirstWhoseClientHasTheFewestRunning() {
    List<Turns.Turn> many = come("a", 5);
    Turns.Turn other = turns.come("b");
    Turns.Turn late = turns.come("c");
    turns.leave(many.getFirst());
    assertThat(late.runs()).as("it came last, and none of its client runs").isTrue();
    assertThat(many.get(3).runs()).isFalse();
    turns.leave(other);
    turns.leave(late);
    assertThat(many.get(3).runs()).as("the first of those that wait").isTrue();
    assertThat(many.get(4).runs()).isFalse();
  }

  @Test
  void sendsAwayTheLastOfTheClientOfWhichMostWait() {
    List<Turns.Turn> many = come("a", 6);
    Turns.Turn other = turns.come("b");
    Turns.Turn late = turns.come("c");
    assertThat(other.runs()).isTrue();
    assertThat(late.isSentAway()).isFalse();
    assertThat(many).map(Turns.Turn::isSentAway).containsOnlyOnce(true).endsWith(true);
    assertThat(turns.come("a").isSentAway()).isTrue();
    assertThat(turns.waiting()).isEqualTo(3);
  }

  @Test
  void forgetsWhoHasLeft() {
    List<Turns.Turn> many = come("a", 4);
    many.forEach(turns::leave);
    many.forEach(turns::leave);
    assertThat(turns.running()).isZero();
    assertThat(turns.waiting()).isZero();
    assertThat(come("a", 3)).allMatch(Turns.Turn::runs);
  }
}
