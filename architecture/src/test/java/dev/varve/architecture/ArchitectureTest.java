package dev.varve.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;

/** The permitted imports. Maven separates modules; this test holds packages to the same plan. */
class ArchitectureTest {
  /**
   * The plan, from the ground up. A package belongs to the floor with the longest matching name.
   */
  private static final List<Floor> PLAN =
      List.of(
          floor("dev.varve.fuzz").uses(),
          floor("dev.varve.model").uses(),
          floor("dev.varve.formats").uses("dev.varve.model"),
          floor("dev.varve.store").uses("dev.varve.model", "dev.varve.store.memory"),
          floor("dev.varve.store.memory").uses("dev.varve.model", "dev.varve.store"),
          floor("dev.varve.store.contract")
              .uses("dev.varve.model", "dev.varve.store", "dev.varve.store.memory"),
          floor("dev.varve.store.rocksdb").uses("dev.varve.model", "dev.varve.store"),
          floor("dev.varve.store.bigtable").uses("dev.varve.model", "dev.varve.store"),
          floor("dev.varve.store.hbase").uses("dev.varve.model", "dev.varve.store"),
          floor("dev.varve.store.cassandra").uses("dev.varve.model", "dev.varve.store"),
          floor("dev.varve.devstores").uses(),
          floor("dev.varve.layout").uses("dev.varve.model", "dev.varve.store"),
          floor("dev.varve.layout.contract")
              .uses(
                  "dev.varve.model",
                  "dev.varve.store",
                  "dev.varve.store.memory",
                  "dev.varve.layout"),
          floor("dev.varve.engine").uses("dev.varve.model", "dev.varve.store", "dev.varve.layout"),
          floor("dev.varve.engine.cells")
              .uses(
                  "dev.varve.model",
                  "dev.varve.store",
                  "dev.varve.store.memory",
                  "dev.varve.layout",
                  "dev.varve.engine"),
          floor("dev.varve.query").uses("dev.varve.model", "dev.varve.formats", "dev.varve.engine"),
          floor("dev.varve.rules")
              .uses("dev.varve.model", "dev.varve.formats", "dev.varve.engine", "dev.varve.query"),
          floor("dev.varve.web").uses(),
          floor("dev.varve.server")
              .uses(
                  "dev.varve.model",
                  "dev.varve.formats",
                  "dev.varve.engine",
                  "dev.varve.engine.cells",
                  "dev.varve.query",
                  "dev.varve.rules",
                  "dev.varve.web"),
          floor("dev.varve.cli")
              .uses(
                  "dev.varve.model",
                  "dev.varve.formats",
                  "dev.varve.store",
                  "dev.varve.store.memory",
                  "dev.varve.layout",
                  "dev.varve.engine",
                  "dev.varve.engine.cells",
                  "dev.varve.query",
                  "dev.varve.rules",
                  "dev.varve.server"),
          floor("dev.varve.tree").uses("dev.varve.model", "dev.varve.cli", "dev.varve.devstores"));

  /**
   * Values of lower floors in the engine's signatures: callers of the engine may see them. Types
   * with behaviour do not belong here.
   */
  private static final Set<String> SEEN_THROUGH_ENGINE =
      Set.of(
          "dev.varve.layout.CellDescription",
          "dev.varve.layout.Domain",
          "dev.varve.layout.ReadScope",
          "dev.varve.layout.Refusal",
          "dev.varve.layout.StorageLayout",
          "dev.varve.layout.opentsdb.RollupConfig",
          "dev.varve.layout.opentsdb.RollupInterval",
          "dev.varve.layout.plan.Plan",
          "dev.varve.store.Budget",
          "dev.varve.store.BudgetExceededException",
          "dev.varve.store.ReadCancelledException",
          "dev.varve.store.ReadCost",
          "dev.varve.store.StoreDamage",
          "dev.varve.store.StoreDamage$Kind",
          "dev.varve.store.StoreDamage$Outcome",
          "dev.varve.store.StoreException");

  /** Libraries that only a few packages may use, so that they can be replaced there. */
  private static final List<Library> CONFINED =
      List.of(
          new Library("org.eclipse.jetty", Set.of("dev.varve.server.http")),
          new Library("at.favre.lib", Set.of("dev.varve.server.security")),
          new Library(
              "com.github.luben.zstd",
              Set.of(
                  "dev.varve.formats.parquet",
                  "dev.varve.server.compression",
                  "dev.varve.server.http",
                  "dev.varve.store.rocksdb")),
          new Library("dev.hardwood", Set.of("dev.varve.cli.imports")),
          new Library("org.rocksdb", Set.of("dev.varve.store.rocksdb")),
          new Library("picocli", Set.of("dev.varve.cli", "dev.varve.tree")),
          new Library("ch.qos.logback", Set.of("dev.varve.cli")));

  /** The permitted classes of zstd's library. Its streams pass arrays to native code. */
  private static final Set<String> ZSTD =
      Set.of(
          "com.github.luben.zstd.EndDirective",
          "com.github.luben.zstd.Zstd",
          "com.github.luben.zstd.ZstdCompressCtx",
          "com.github.luben.zstd.ZstdDecompressCtx",
          "com.github.luben.zstd.ZstdException",
          "com.github.luben.zstd.ZstdIOException");

  /** Types that a layout must not use, because layouts do no I/O and have no clock or threads. */
  private static final Set<String> IMPURE_TYPES =
      Set.of(
          "java.io.File",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.RandomAccessFile",
          "java.lang.Process",
          "java.lang.Thread",
          "java.net.Socket",
          "java.net.URL",
          "java.nio.channels.FileChannel",
          "java.nio.file.Files",
          "java.time.Clock",
          "java.util.Timer",
          "java.util.concurrent.CompletableFuture",
          "java.util.concurrent.ExecutorService",
          "java.util.concurrent.Executors");

  private static final Set<String> IMPURE_CALLS =
      Set.of(
          "java.lang.Math.random",
          "java.lang.System.currentTimeMillis",
          "java.lang.System.nanoTime",
          "java.time.Instant.now",
          "java.time.LocalDateTime.now",
          "java.time.ZonedDateTime.now",
          "java.util.UUID.randomUUID");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importPackages("dev.varve")
          .that(resideOutsideOfPackage("dev.varve.architecture.."));

  @Test
  void everyFloorOfThePlanIsThere() {
    assertThat(PLAN)
        .filteredOn(floor -> floor.name().chars().filter(c -> c == '.').count() == 2)
        .allSatisfy(floor ->
            assertThat(CLASSES.stream().map(JavaClass::getPackageName))
                .as("packages seen by this test")
                .anyMatch(floor::covers));
  }

  @Test
  void everyPackageBelongsToAFloor() {
    assertThat(CLASSES.stream().filter(type -> floorOf(type).isEmpty()).map(JavaClass::getName))
        .as("classes outside the plan: give their package a floor in PLAN")
        .isEmpty();
  }

  @Test
  void importsFollowThePlan() {
    assertThat(
            violations(
                (from, to) -> to.getPackageName().startsWith("dev.varve.") && !mayImport(from, to)))
        .isEmpty();
  }

  /** A reader can begin at any package and read only what is below it. */
  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.varve.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void librariesStayWhereTheyAreConfined() {
    assertThat(
            violations((from, to) ->
                CONFINED.stream()
                    .anyMatch(library ->
                        within(to.getPackageName(), library.name())
                            && library.places().stream()
                                .noneMatch(place -> within(from.getPackageName(), place)))))
        .isEmpty();
  }

  @Test
  void layoutsArePure() {
    List<JavaClass> layouts =
        CLASSES.stream().filter(type -> within(type.getPackageName(), "dev.varve.layout")).toList();
    Stream<String> types =
        layouts.stream()
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .filter(dependency -> IMPURE_TYPES.contains(dependency.getTargetClass().getName()))
            .map(Dependency::getDescription);
    Stream<String> calls =
        layouts.stream()
            .flatMap(type -> type.getAccessesFromSelf().stream())
            .filter(access ->
                IMPURE_CALLS.contains(access.getTargetOwner().getName() + "." + access.getName()))
            .map(JavaAccess::getDescription);
    assertThat(Stream.concat(types, calls)).isEmpty();
  }

  /** G1 of JDK 25.0.0 to 25.0.2 moves arrays while native code uses them (JDK-8377811). */
  @Test
  void nativeCodecsSeeNoArrays() {
    assertThat(
            violations((from, to) ->
                within(to.getPackageName(), "com.github.luben.zstd")
                    && !ZSTD.contains(to.getName())))
        .isEmpty();
    assertThat(
            violations((from, to) ->
                Stream.of("org.xerial.snappy", "net.jpountz", "org.iq80.snappy")
                    .anyMatch(codec -> within(to.getPackageName(), codec))))
        .isEmpty();
    assertThat(
            violations((from, to) ->
                Stream.of(InflaterInputStream.class, DeflaterOutputStream.class)
                    .anyMatch(to::isAssignableTo)))
        .isEmpty();
    assertThat(
            CLASSES.stream()
                .flatMap(type -> type.getCodeUnitCallsFromSelf().stream())
                .filter(call -> isNativeCodec(call.getTargetOwner()))
                .filter(call ->
                    call.getTarget().getRawParameterTypes().stream().anyMatch(JavaClass::isArray))
                .map(JavaAccess::getDescription))
        .isEmpty();
  }

  private static boolean isNativeCodec(JavaClass type) {
    return within(type.getPackageName(), "com.github.luben.zstd")
        || Stream.of(Inflater.class, Deflater.class, CRC32.class).anyMatch(type::isAssignableTo);
  }

  private static Set<String> violations(Verdict forbidden) {
    Set<String> found = new TreeSet<>();
    for (JavaClass from : CLASSES) {
      for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
        if (forbidden.holds(from, dependency.getTargetClass())) {
          found.add(dependency.getDescription());
        }
      }
    }
    return found;
  }

  private static boolean mayImport(JavaClass from, JavaClass to) {
    Optional<Floor> source = floorOf(from);
    Optional<Floor> target = floorOf(to);
    return source.isPresent()
        && target.isPresent()
        && (source.equals(target)
            || source.get().uses().contains(target.get().name())
            || (source.get().uses().contains("dev.varve.engine") && seenThroughEngine(to)));
  }

  private static boolean seenThroughEngine(JavaClass type) {
    return SEEN_THROUGH_ENGINE.contains(type.getName().replaceFirst("\\$.*", ""));
  }

  private static Optional<Floor> floorOf(JavaClass type) {
    return PLAN.stream()
        .filter(floor -> floor.covers(type.getPackageName()))
        .max(Comparator.comparingInt(floor -> floor.name().length()));
  }

  private static boolean within(String packageName, String root) {
    return packageName.equals(root) || packageName.startsWith(root + ".");
  }

  private static FloorName floor(String name) {
    return new FloorName(name);
  }

  private record FloorName(String name) {
    Floor uses(String... floors) {
      return new Floor(name, List.of(floors));
    }
  }

  /**
   * A package, including the subpackages without a floor of their own, and the floors it may
   * import.
   */
  private record Floor(String name, List<String> uses) {
    boolean covers(String packageName) {
      return within(packageName, name);
    }
  }

  private record Library(String name, Set<String> places) {}

  private interface Verdict {
    boolean holds(JavaClass from, JavaClass to);
  }
}
