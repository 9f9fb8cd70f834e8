package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layout;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * The contract of all layouts. The tests of a layout extend this class with its fixture and never
 * override a test.
 */
public abstract class LayoutContract {
  /** Returns a fixture of the layout to test. */
  protected abstract LayoutFixture fixture();

  private LayoutLab lab() {
    return LayoutLab.inMemory(fixture());
  }

  @Test
  void itsIdentityIsTheOneThatHomesKeep() {
    Layout layout = fixture().layout();

    assertThat(layout.identity()).hasToString(fixture().identity());
    assertThat(fixture().layout().identity()).isEqualTo(layout.identity());
  }

  @Test
  void itAgreesWithTablesThatItHasOpened() {
    try (LayoutTables tables = lab().open()) {
      assertThat(tables.run(fixture().layout().opening())).isEmpty();
    }
  }

  /**
   * Samples read back bit for bit, in any order of arrival; at one instant the last accepted wins.
   */
  @Property(tries = 200)
  void itGivesBackWhatItWasGiven(@ForAll long seed) {
    new RoundTrip(lab(), new Random(seed)).givesBackWhatItWasGiven();
  }

  @Test
  void theLastAcceptedWinsWhateverItsKind() {
    new RoundTrip(lab(), new Random(1)).theLastAcceptedWinsWhateverItsKind();
  }

  @Test
  void itGivesBackAttributes() {
    new RoundTrip(lab(), new Random(1)).givesBackAttributes();
  }

  @Test
  void itKeepsWhatAmendmentsReplaced() {
    new RoundTrip(lab(), new Random(1)).keepsWhatAmendmentsReplaced();
  }

  @Property(tries = 100)
  void itFindsAKeyAgainByItsRows(@ForAll long seed) {
    new RoundTrip(lab(), new Random(seed)).findsKeysAgainByTheirRows();
  }

  /** Refusals name a rule, and the rest of the group is kept. */
  @Test
  void itRefusesWhatLiesOutsideItsDomain() {
    new Refusals(lab()).areNamedAndKeepTheRest();
  }

  /**
   * A plan reads all requested samples and none of other series, for any range, keys, fields and
   * counts. Each slice stays within one partition, and samples of a series are in time order.
   */
  @Property(tries = 300)
  void aPlanReadsWhatWasAskedFor(@ForAll long seed) {
    new Plans(lab(), new Random(seed)).readWhatWasAskedFor();
  }

  @Property(tries = 100)
  void aQualifierTellsWhereInARowATimeBegins(@ForAll long seed) {
    new Plans(lab(), new Random(seed)).qualifiersTellWhereATimeBegins();
  }

  /**
   * A cell with a flipped bit, missing or extra bytes is refused or is what the layout would write.
   */
  @Property(tries = 500)
  void itNeverMisreadsADamagedCell(@ForAll long seed) {
    new Damages(lab(), new Random(seed)).areNeverMisread();
  }

  @Property(tries = 100)
  void itDescribesEveryByteOfACell(@ForAll long seed) {
    new Damages(lab(), new Random(seed)).everyByteIsDescribed();
  }

  @Test
  void itEncodesAndDecodesWithoutAllocating() {
    new Allocation(fixture()).isAtMostOneByteASample();
  }
}
