package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layout;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * What every layout must do. A layout passes by extending this with its fixture; nothing here is
 * ever overridden.
 */
public abstract class LayoutContract {
  /** A fixture of the layout to be tested. */
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

  /** Bit for bit, in any order of arrival; of samples at one instant the last accepted. */
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

  /** By name, and the rest of the group is kept. */
  @Test
  void itRefusesWhatLiesOutsideItsDomain() {
    new Refusals(lab()).areNamedAndKeepTheRest();
  }

  /**
   * Every sample that was asked for and none of another series, each slice within one partition,
   * the samples of a series in the order of time, whatever range, keys, fields and counts.
   */
  @Property(tries = 300)
  void aPlanReadsWhatWasAskedFor(@ForAll long seed) {
    new Plans(lab(), new Random(seed)).readWhatWasAskedFor();
  }

  @Property(tries = 100)
  void aQualifierTellsWhereInARowATimeBegins(@ForAll long seed) {
    new Plans(lab(), new Random(seed)).qualifiersTellWhereATimeBegins();
  }

  /** A bit changed, bytes missing or too many: refused, or just what the layout would write. */
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
