package dev.varve.layout.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Every layout that is under the contract, for those who try them on other stores. */
public final class KnownLayouts {
  static final List<LayoutContract> CONTRACTS =
      List.of(
          new AmendedContractTest(),
          new BucketsContractTest(),
          new CellPerEventContractTest(),
          new ColumnPerEventContractTest(),
          new CompanionByTagContractTest(),
          new CompanionByTimeContractTest(),
          new DeclaredCalendarContractTest(),
          new DeclaredEventsByMonthContractTest(),
          new DeclaredFallingYearsContractTest(),
          new DeclaredFamiliesContractTest(),
          new DeclaredGridContractTest(),
          new DeclaredHashNewestFirstContractTest(),
          new DeclaredSaltOfPartsContractTest(),
          new DeclaredSaltOfTimeContractTest(),
          new DeclaredSequenceInKeyContractTest(),
          new DeclaredSequenceInQualifierContractTest(),
          new DeclaredShiftedContractTest(),
          new DeclaredValueInQualifierContractTest(),
          new EntityContractTest(),
          new EntityRangesContractTest(),
          new HeroicContractTest(),
          new KairosDbContractTest(),
          new KairosDbLegacyContractTest(),
          new KairosDbSecondsContractTest(),
          new MarketDataContractTest(),
          new NewestFirstContractTest(),
          new OpenTsdbContractTest(),
          new OpenTsdbRollupContractTest(),
          new OpenTsdbSaltedContractTest(),
          new PromotedContractTest(),
          new SaltedContractTest(),
          new ServerMetricsContractTest(),
          new ShortWideContractTest(),
          new SingleTimestampPackedContractTest(),
          new SmartMetersContractTest(),
          new TallNarrowContractTest(),
          new ValueInQualifierContractTest());

  private KnownLayouts() {}

  /** The fixtures by a name that is short, unique and fit for a table. */
  public static Map<String, LayoutFixture> fixtures() {
    Map<String, LayoutFixture> fixtures = new LinkedHashMap<>();
    for (LayoutContract contract : CONTRACTS) {
      fixtures.put(name(contract), contract.fixture());
    }
    return fixtures;
  }

  /** {@code OpenTsdbSaltedContractTest} is {@code opentsdb-salted}. */
  private static String name(LayoutContract contract) {
    return contract
        .getClass()
        .getSimpleName()
        .replace("ContractTest", "")
        .replace("KairosDb", "Kairosdb")
        .replace("OpenTsdb", "Opentsdb")
        .replaceAll("(?<!^)([A-Z])", "-$1")
        .toLowerCase(Locale.ROOT);
  }
}
