package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.varve.devstores.CassandraNode;
import dev.varve.devstores.KeyFile;
import dev.varve.devstores.Ports;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableForm;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.TypedColumn;
import dev.varve.store.Upkeep;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One node that requires TLS, a client certificate, a password, and a grant for every operation.
 * Each test has its own keyspaces; roles have only the grants of their test.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class CassandraSecurityIT {
  private static final String PASSWORD = "Xq7-right-Zt3";
  private static final String WRONG = "Xq7-wrong-Zt3";

  @TempDir private static Path directory;
  private static KeyFile nodeKey;
  private static KeyFile clientKey;
  private static KeyFile strangersKey;
  private static CassandraNode node;
  private static Requests administrator;

  @BeforeAll
  static void start() {
    nodeKey = KeyFile.make(directory, "node", "ip:127.0.0.1,dns:node.example");
    clientKey = KeyFile.make(directory, "client", "dns:client.example");
    strangersKey = KeyFile.make(directory, "stranger", "ip:127.0.0.1,dns:localhost");
    node = CassandraNode.guarded(directory.resolve("node"), nodeKey, clientKey.trust());
    administrator =
        new Requests(CassandraOptions.parse(options("user", "cassandra", "password", "cassandra")));
    run("CREATE ROLE app WITH PASSWORD = '%s' AND LOGIN = true".formatted(PASSWORD));
  }

  @AfterAll
  static void stop() {
    administrator.close();
    node.kill();
  }

  private static void run(String cql) {
    administrator.execute(SimpleStatement.newInstance(cql));
  }

  /** Creates a role with a password. */
  private static void role(String name, String keyspace, String... grants) {
    run("CREATE ROLE %s WITH PASSWORD = '%s' AND LOGIN = true".formatted(name, PASSWORD));
    for (String grant : grants) {
      run("GRANT %s ON KEYSPACE %s TO %s".formatted(grant, keyspace, name));
    }
  }

  private static void keyspace(String name) {
    run(
        "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
            .formatted(name));
  }

  /** Returns the options of an accepted client, with replacements; null removes an option. */
  private static Map<String, String> options(@Nullable String... others) {
    Map<String, String> options = new HashMap<>(node.options());
    options.put("user", "app");
    options.put("password", PASSWORD);
    options.put("tls-trusted", nodeKey.pem().toString());
    options.put("tls-key", clientKey.file().toString());
    options.put("tls-key-password", clientKey.password());
    for (int i = 0; i < others.length; i += 2) {
      if (others[i + 1] == null) {
        options.remove(others[i]);
      } else {
        options.put(others[i], others[i + 1]);
      }
    }
    return options;
  }

  private static Store open(@Nullable String... others) {
    return new CassandraStoreProvider().open(directory, 0, options(others));
  }

  /** Returns the error of a rejected client. It must not contain a password. */
  private static String refusal(@Nullable String... others) {
    StoreException refused = catchThrowableOfType(StoreException.class, () -> open(others).close());
    assertThat(refused).isNotNull();
    StringWriter all = new StringWriter();
    refused.printStackTrace(new PrintWriter(all));
    assertThat(all.toString())
        .doesNotContain(PASSWORD, WRONG, clientKey.password(), strangersKey.password());
    return String.valueOf(refused.getMessage());
  }

  private static TableSpec spec(String name) {
    return new TableSpec(
        name,
        List.of(FamilySpec.latest("c"), new FamilySpec("d", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
        Resolution.MILLISECONDS,
        (bytes, offset, length) -> Math.min(1, length));
  }

  private static TableSpec keeping(int days) {
    return spec("t").with(new Upkeep(Duration.ofDays(days), null, List.of()));
  }

  private static MutationBatch puts() {
    MutationBatch batch = new MutationBatch();
    Bytes row = Bytes.of(new byte[] {1, 2});
    batch.put(row, 0, Bytes.EMPTY, 1, Bytes.EMPTY);
    batch.put(row, 1, Bytes.EMPTY, 1, Bytes.EMPTY);
    return batch;
  }

  private static int count(Table table) {
    return count(table, Slice.partition(Bytes.of((byte) 1)), 2);
  }

  private static int count(Table table, Slice slice, int families) {
    CellBatch page = new CellBatch();
    int cells = 0;
    try (CellCursor cursor =
        table.read(
            ReadPlan.of(
                List.of(slice), IntStream.range(0, families).mapToObj(FamilySelect::all).toList()),
            null)) {
      while (cursor.next(page)) {
        cells += page.size();
      }
    }
    return cells;
  }

  private static void writeAndRead(Store store, OpenMode mode) {
    try (Table table = store.open(spec("t"), mode)) {
      assertThat(table.apply(puts(), Durability.SYNCED)).isEmpty();
      assertThat(count(table)).isEqualTo(2);
    }
  }

  @Test
  void letsInWhoHasTheRightPasswordAndCertificates() {
    keyspace("letin");
    run("GRANT CREATE ON KEYSPACE letin TO app");
    try (Store store = open("keyspace", "letin")) {
      writeAndRead(store, OpenMode.CREATE_IF_ABSENT);
    }
    KeyFile trust = nodeKey.trust();
    try (Store store =
        open(
            "keyspace",
            "letin",
            "tls-trusted",
            trust.file().toString(),
            "tls-trusted-password",
            trust.password())) {
      writeAndRead(store, OpenMode.READ_WRITE);
    }
  }

  @Test
  void saysWhatIsWrongWithUserAndPassword() {
    assertThat(refusal("password", WRONG))
        .contains("rejects user 'app' with this password (options user, password)");
    assertThat(refusal("user", "nobody")).contains("rejects user 'nobody' with this password");
    assertThat(refusal("user", null, "password", null)).contains("set options user and password");
    assertThat(refusal("password", null)).contains("user and password must be set together");
  }

  @Test
  void saysWhatIsWrongWithTls() {
    assertThat(refusal("tls-trusted", null, "tls-key", null, "tls-key-password", null))
        .contains("as a node that requires TLS does (option tls)");
    assertThat(refusal("tls-trusted", null))
        .contains("Java does not trust its certificate", "option tls-trusted");
    assertThat(refusal("tls-trusted", strangersKey.pem().toString()))
        .contains("its certificate", "stranger.p12.pem' (option tls-trusted)");
    assertThat(refusal("tls-key", null, "tls-key-password", null))
        .contains("it requires a certificate of this client (option tls-key)");
    assertThat(
            refusal(
                "tls-key",
                strangersKey.file().toString(),
                "tls-key-password",
                strangersKey.password()))
        .contains("rejects the certificate in", "stranger.p12' (option tls-key)");
  }

  @Test
  void comparesTheHostThatWasAskedForWithTheCertificate() {
    assertThat(refusal("contact-points", "localhost"))
        .contains(
            "its certificate is for another host",
            "localhost",
            "option contact-points",
            "tls-verify-hostname: false");
    open("contact-points", "localhost", "tls-verify-hostname", "false").close();
  }

  @Test
  void saysWhatIsWrongWithFilesOfKeys() throws Exception {
    String trust = nodeKey.trust().file().toString();
    assertThat(refusal("tls-trusted", trust))
        .contains("option tls-trusted", "without a password (option tls-trusted-password)");
    assertThat(refusal("tls-trusted", trust, "tls-trusted-password", WRONG))
        .contains("option tls-trusted", "not a key store with this password");
    assertThat(refusal("tls-key-password", WRONG))
        .contains("option tls-key", "not a key store with this password");
    assertThat(refusal("tls-key-password", null))
        .contains("client.p12' shows no key without a password (option tls-key-password)");
    Path empty = Files.writeString(directory.resolve("empty.pem"), "nothing");
    assertThat(refusal("tls-trusted", empty.toString()))
        .contains("option tls-trusted", "empty.pem");
    Path broken =
        Files.writeString(
            directory.resolve("broken.pem"),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    assertThat(refusal("tls-trusted", broken.toString()))
        .contains("option tls-trusted", "broken.pem");
    assertThat(
            refusal(
                "tls-key",
                nodeKey.trust().file().toString(),
                "tls-key-password",
                nodeKey.password()))
        .contains("option tls-key", "trust-node.p12' shows no key");
    assertThat(refusal("tls-key", nodeKey.pem().toString()))
        .contains("option tls-key", "node.p12.pem' is not a key store");
  }

  @Test
  void saysWhichHostsAndDataCentersThereAre() {
    assertThat(refusal("local-datacenter", "dc9"))
        .contains("no data center 'dc9' (option local-datacenter); it has datacenter1");
    assertThat(refusal("port", String.valueOf(Ports.free()))).contains("connection refused");
    assertThat(refusal("contact-points", "nowhere.invalid"))
        .contains("there is no host nowhere.invalid");
  }

  @Test
  void readsWhatItMaySelectAndNamesTheGrantThatWritesNeed() {
    keyspace("looked");
    run("GRANT CREATE ON KEYSPACE looked TO app");
    try (Store store = open("keyspace", "looked")) {
      writeAndRead(store, OpenMode.CREATE_IF_ABSENT);
    }
    role("reader", "looked", "SELECT");
    try (Store store = open("keyspace", "looked", "user", "reader")) {
      assertThat(store.tables()).containsExactly("t");
      try (Table table = store.open(spec("t"), OpenMode.READ_ONLY)) {
        assertThat(count(table)).isEqualTo(2);
      }
      Table table = store.open(spec("t"), OpenMode.READ_WRITE);
      List<RowOutcome> outcomes = table.apply(puts(), Durability.SYNCED);
      assertThat(outcomes).hasSize(1);
      assertThat(outcomes.getFirst().status()).isEqualTo(RowOutcome.Status.NOT_APPLIED);
      assertThat(outcomes.getFirst().reason())
          .contains("GRANT MODIFY ON KEYSPACE \"looked\" TO \"reader\"");
      assertThat(
              failure(() ->
                  table
                      .power(Power.Increment.class)
                      .orElseThrow()
                      .add(Bytes.of(new byte[] {1, 9}), 0, Bytes.EMPTY, 1, 1)))
          .contains("GRANT MODIFY ON KEYSPACE \"looked\" TO \"reader\"");
      assertThat(failure(() -> store.drop("t")))
          .contains("GRANT MODIFY ON KEYSPACE \"looked\" TO \"reader\"");
      assertThat(failure(() -> store.open(spec("other"), OpenMode.CREATE_IF_ABSENT)))
          .endsWith("GRANT MODIFY ON KEYSPACE \"looked\" TO \"reader\"");
      assertThat(store.tables()).containsExactly("t");
    }
    role("blind", "looked");
    try (Store store = open("keyspace", "looked", "user", "blind")) {
      assertThat(failure(() -> store.open(spec("t"), OpenMode.READ_ONLY)))
          .contains("GRANT SELECT ON KEYSPACE \"looked\" TO \"blind\"");
    }
  }

  /** Reading a foreign table needs SELECT only. */
  @Test
  void readsATableOfAnotherProgramThatItMaySelect() {
    keyspace("theirs");
    run("CREATE TABLE theirs.t (key blob, column1 blob, value blob, PRIMARY KEY (key, column1))");
    run("INSERT INTO theirs.t (key, column1, value) VALUES (0x01, 0x02, 0x03)");
    role("visitor", "theirs", "SELECT");
    TableSpec foreign =
        new TableSpec(
                "t",
                List.of(FamilySpec.latest("c")),
                Resolution.MILLISECONDS,
                (bytes, offset, length) -> length)
            .with(
                new TableForm.KeyColumnValue(
                    new TypedColumn("key", TypedColumn.Type.BLOB),
                    new TypedColumn("column1", TypedColumn.Type.BLOB),
                    new TypedColumn("value", TypedColumn.Type.BLOB)))
            .attached("t");
    try (Store store = open("keyspace", "theirs", "user", "visitor")) {
      assertThat(store.place(foreign)).contains("keyspace theirs, table t");
      Bytes row = Bytes.of((byte) 1);
      Table table = store.open(foreign, OpenMode.READ_ONLY);
      assertThat(count(table, Slice.row(row, row), 1)).isEqualTo(1);
      MutationBatch batch = new MutationBatch();
      batch.put(row, 0, Bytes.EMPTY, 1, Bytes.EMPTY);
      assertThat(
              store
                  .open(foreign, OpenMode.READ_WRITE)
                  .apply(batch, Durability.SYNCED)
                  .getFirst()
                  .reason())
          .contains("GRANT MODIFY ON KEYSPACE \"theirs\" TO \"visitor\"");
    }
  }

  private static String failure(ThrowingCallable call) {
    StoreException failure = catchThrowableOfType(StoreException.class, call);
    assertThat(failure).isNotNull();
    return String.valueOf(failure.getMessage());
  }

  @Test
  void namesTheStatementsThatSomebodyElseHasToRun() {
    role("writer", "lacking");
    try (Store store = open("keyspace", "lacking", "user", "writer")) {
      String first = failure(() -> store.open(spec("t"), OpenMode.CREATE_IF_ABSENT));
      assertThat(first)
          .contains(
              "GRANT CREATE ON ALL KEYSPACES TO \"writer\"; or instead: CREATE KEYSPACE IF NOT EXISTS \"lacking\"",
              "; CREATE TABLE IF NOT EXISTS \"lacking\".varve_tables (",
              "; CREATE TABLE IF NOT EXISTS \"lacking\".\"t__c\" (",
              "; CREATE TABLE IF NOT EXISTS \"lacking\".\"t__d\" (");
      runAll(first);
      run("GRANT SELECT ON KEYSPACE lacking TO writer");
      run("GRANT MODIFY ON KEYSPACE lacking TO writer");
      writeAndRead(store, OpenMode.CREATE_IF_ABSENT);

      String second = failure(() -> store.open(spec("u"), OpenMode.CREATE_IF_ABSENT));
      assertThat(second)
          .contains("GRANT CREATE ON KEYSPACE \"lacking\" TO \"writer\"")
          .doesNotContain("CREATE KEYSPACE", "varve_tables");
      assertThat(store.tables()).containsExactly("t");
      runAll(second);
      store.open(spec("u"), OpenMode.CREATE_IF_ABSENT).close();
      assertThat(store.tables()).containsExactly("t", "u");

      assertThat(failure(() -> store.drop("t")))
          .contains(
              "GRANT DROP ON KEYSPACE \"lacking\" TO \"writer\"; or instead: DROP TABLE IF EXISTS \"lacking\".\"t__c\"");
      writeAndRead(store, OpenMode.READ_WRITE);
      run("GRANT DROP ON KEYSPACE lacking TO writer");
      store.drop("t");
      assertThat(store.tables()).containsExactly("u");
    }
  }

  @Test
  void needsNoMoreThanTheGrantToCreate() {
    role("founder", "any");
    run("GRANT CREATE ON ALL KEYSPACES TO founder");
    try (Store store = open("keyspace", "founded", "user", "founder")) {
      store.open(keeping(10), OpenMode.CREATE_IF_ABSENT).close();
      store.open(keeping(20), OpenMode.READ_WRITE).close();
      writeAndRead(store, OpenMode.READ_WRITE);
      store.drop("t");
      assertThat(store.tables()).isEmpty();
    }
  }

  /** Runs the statements that an error suggests to an administrator. */
  private static void runAll(String refusal) {
    String statements = refusal.substring(refusal.indexOf("or instead: ") + 12);
    List.of(statements.split("; ")).forEach(CassandraSecurityIT::run);
  }

  @Test
  void namesTheGrantThatALongerRetentionNeeds() {
    keyspace("kept");
    run("GRANT CREATE ON KEYSPACE kept TO app");
    try (Store store = open("keyspace", "kept")) {
      store.open(keeping(10), OpenMode.CREATE_IF_ABSENT).close();
    }
    role("keeper", "kept", "SELECT", "MODIFY");
    try (Store store = open("keyspace", "kept", "user", "keeper")) {
      store.open(keeping(10), OpenMode.READ_WRITE).close();
      assertThat(failure(() -> store.open(keeping(20), OpenMode.READ_WRITE)))
          .contains(
              "GRANT ALTER ON KEYSPACE \"kept\" TO \"keeper\"; or instead: ALTER TABLE \"kept\".\"t__c\" WITH default_time_to_live = 1728000");
      run("GRANT ALTER ON KEYSPACE kept TO keeper");
      store.open(keeping(20), OpenMode.READ_WRITE).close();
    }
  }
}
