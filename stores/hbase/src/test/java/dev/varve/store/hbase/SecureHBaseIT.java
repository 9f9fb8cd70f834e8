package dev.varve.store.hbase;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.devstores.HBaseServer;
import dev.varve.devstores.KerberosServer;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * HBase with Kerberos, encryption and permissions. The other tests run while the ticket of one
 * store expires; at the end Kerberos is shut down.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SecureHBaseIT {
  private static final String KRB5 = "java.security.krb5.conf";
  private static final String NAMESPACE = "secured";

  /** The client checks every 30 s, and renews a ticket after 80 % of its lifetime. */
  private static final Duration TICKET = Duration.ofSeconds(32);

  private static final String HOST = InetAddress.getLoopbackAddress().getCanonicalHostName();
  private static final String SERVER = "hbase/" + HOST;
  private static final List<String> KNOWN = List.of(SERVER, "varve", "reader", "nobody", "lasting");

  @TempDir private static Path directory;
  private static KerberosServer kerberos;
  private static HBaseServer server;
  private static Store lasting;
  private static Instant opened;

  @BeforeAll
  static void start() throws Exception {
    kerberos = KerberosServer.start(directory.resolve("kerberos"), TICKET, KNOWN);
    Path configuration =
        Files.writeString(
            directory.resolve("krb5.conf"),
            "[libdefaults]\n  default_realm = %s\n  udp_preference_limit = 1\n[realms]\n%s"
                .formatted(KerberosServer.REALM, kerberos.realm()));
    System.setProperty(KRB5, configuration.toString());
    server =
        HBaseServer.start(
            directory.resolve("hbase"),
            new HBaseServer.Kerberos(
                SERVER + "@" + KerberosServer.REALM, kerberos.keytab(), configuration));
    grant();
    lasting = open(options("lasting"));
    opened = Instant.now();
    write(lasting, "lasting", "before");
  }

  @AfterAll
  static void stop() {
    System.clearProperty(KRB5);
    lasting.close();
    server.close();
    kerberos.close();
  }

  /** Grants what docs/stores/hbase.md tells an administrator to grant. */
  private static void grant() throws Exception {
    HBaseOptions admin = HBaseOptions.parse(options(SERVER));
    Configuration settings = ClientSettings.of(admin);
    User user =
        new Login(Objects.requireNonNull(admin.kerberos()), admin.operationTimeout())
            .user(settings);
    try (AsyncConnection connection =
        ConnectionFactory.createAsyncConnection(settings, user).get()) {
      AsyncAdmin asked = connection.getAdmin();
      asked.createNamespace(NamespaceDescriptor.create(NAMESPACE).build()).get();
      for (Map.Entry<String, String> granted :
          Map.of("varve", "RWC", "lasting", "RWC", "reader", "RC").entrySet()) {
        byte[] actions = granted.getValue().getBytes(US_ASCII);
        Permission permission = Permission.newBuilder(NAMESPACE).withActionCodes(actions).build();
        asked.grant(new UserPermission(granted.getKey(), permission), false).get();
      }
    }
  }

  private static Map<String, String> options(String principal) {
    Map<String, String> options = new HashMap<>(server.options());
    options.put("namespace", NAMESPACE);
    options.put("principal", principal + "@" + KerberosServer.REALM);
    options.put("keytab", kerberos.keytab().toString());
    options.put("operation-timeout", "20s");
    options.put("rpc-timeout", "5s");
    options.put("retries", "3");
    // Forces frequent new connections, each of which uses the ticket.
    options.put("hbase.ipc.client.connection.minIdleTimeBeforeClose", "1000");
    // Hadoop's default of 60 s exceeds the lifetime of a ticket here.
    options.put("hadoop.kerberos.min.seconds.before.relogin", "1");
    return options;
  }

  private static Store open(Map<String, String> options) {
    return new HBaseStoreProvider().open(Path.of("unused"), 0, options);
  }

  private static TableSpec spec(String name) {
    return new TableSpec(
        name, List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.NONE);
  }

  private static List<RowOutcome> write(Table table, String value) {
    MutationBatch batch = new MutationBatch();
    batch.put(Bytes.utf8("row"), 0, Bytes.utf8("q"), 1, Bytes.utf8(value));
    return table.apply(batch, Durability.SYNCED);
  }

  private static void write(Store store, String table, String value) {
    try (Table opened = store.open(spec(table), OpenMode.CREATE_IF_ABSENT)) {
      assertThat(write(opened, value)).isEmpty();
      assertThat(read(opened)).isEqualTo(value);
    }
  }

  private static String read(Table table) {
    ReadPlan all =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(all, null)) {
      assertThat(cursor.next(page)).isTrue();
      return page.value(0).toUtf8();
    }
  }

  @Test
  @Order(1)
  void writerDoesAllThatVarveDoes() {
    try (Store store = open(options("varve"))) {
      write(store, "written", "value");
      write(store, "dropped", "value");
      assertThat(store.tables()).contains("written", "dropped");
      store.drop("dropped");
      assertThat(store.tables()).contains("written").doesNotContain("dropped");
      assertThat(store.place(spec("written"))).contains(NAMESPACE);
    }
  }

  @Test
  @Order(2)
  void readerReadsAndChangesNothing() {
    try (Store store = open(options("reader"))) {
      List<String> before = store.tables();
      try (Table table = store.open(spec("written"), OpenMode.READ_ONLY)) {
        assertThat(read(table)).isEqualTo("value");
        assertThat(write(table, "other"))
            .singleElement()
            .extracting(RowOutcome::status)
            .isEqualTo(Status.REJECTED);
      }
      try (Table table = store.open(spec("written"), OpenMode.READ_WRITE)) {
        assertThat(write(table, "other"))
            .singleElement()
            .satisfies(outcome -> {
              assertThat(outcome.status()).isEqualTo(Status.NOT_APPLIED);
              assertThat(outcome.reason()).contains("reader@VARVE.TEST", "action=WRITE");
            });
        assertThat(read(table)).isEqualTo("value");
      }
      assertThatThrownBy(() -> store.open(spec("absent"), OpenMode.READ_ONLY))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no table 'absent'");
      assertThat(store.tables()).isEqualTo(before);
    }
  }

  @Test
  @Order(3)
  void namesThePermissionThatIsMissing() {
    try (Store store = open(options("nobody"))) {
      assertRefused(
          () -> store.open(spec("written"), OpenMode.READ_ONLY),
          "nobody@VARVE.TEST",
          "action=CREATE",
          "grant 'USER', 'RC', '@secured'");
      assertRefused(
          () -> store.open(spec("absent"), OpenMode.CREATE_IF_ABSENT), "action=CREATE", "'RWC'");
    }
    Map<String, String> elsewhere = options("varve");
    elsewhere.put("namespace", "elsewhere");
    try (Store store = open(elsewhere)) {
      assertRefused(
          () -> store.open(spec("absent"), OpenMode.CREATE_IF_ABSENT),
          "create_namespace 'elsewhere'");
    }
  }

  private static void assertRefused(Runnable action, String... said) {
    assertThatThrownBy(action::run)
        .isInstanceOf(StoreException.class)
        .message()
        .contains(said)
        .doesNotContain("\n");
  }

  @Test
  @Order(4)
  void saysWhyNobodyCanLogIn() {
    Map<String, String> missing = options("varve");
    missing.put("keytab", directory.resolve("missing").toString());
    assertRefused(() -> open(missing), "'varve@VARVE.TEST'", "missing'", "does not exist");
    Map<String, String> folder = options("varve");
    folder.put("keytab", directory.toString());
    assertRefused(() -> open(folder), "not a readable file");
    assertRefused(() -> open(options("stranger")), "no key of this principal", "klist -k");
    // Another Kerberos server for the realm, with different keys.
    Path others = directory.resolve("others");
    try (KerberosServer other =
        KerberosServer.start(others, TICKET, List.of("varve", "stranger"))) {
      Map<String, String> outdated = options("varve");
      outdated.put("keytab", other.keytab().toString());
      assertRefused(() -> open(outdated), "key in the keytab is not the principal's");
      Map<String, String> unknown = options("stranger");
      unknown.put("keytab", other.keytab().toString());
      assertRefused(() -> open(unknown), "Kerberos does not know this principal");
    }
  }

  @Test
  @Order(5)
  void saysWhyHBaseLetsNobodyIn() {
    Map<String, String> anonymous = options("varve");
    anonymous.keySet().removeAll(List.of("principal", "keytab"));
    assertRefused(() -> place(anonymous), "options principal and keytab to log in");
    Map<String, String> noServer = options("varve");
    noServer.put("server-principal", "varve@" + KerberosServer.REALM);
    assertRefused(() -> place(noServer), "option server-principal", "hbase-site.xml");
    Map<String, String> unknownServer = options("varve");
    unknownServer.put("server-principal", "other/_HOST@" + KerberosServer.REALM);
    assertRefused(() -> place(unknownServer), "'other/_HOST@VARVE.TEST'", "server-principal");
    Map<String, String> plain = options("varve");
    plain.put("hbase.rpc.protection", "authentication");
    assertRefused(() -> place(plain), "hbase.rpc.protection", "leave it out");
  }

  private static void place(Map<String, String> options) {
    try (Store store = open(options)) {
      store.place(spec("written"));
    }
  }

  @Test
  @Order(6)
  void goesOnAfterItsTicketEnds() {
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> Instant.now().isAfter(opened.plus(TICKET).plusSeconds(1)));
    long logins = said("AS_REQ ISSUE", "lasting@");
    long connections = said("TGS_REQ ISSUE", "lasting@");
    assertThat(logins).as("tickets taken").isGreaterThan(1);
    await()
        .until(() -> {
          write(lasting, "lasting", "after");
          return said("TGS_REQ ISSUE", "lasting@") > connections;
        });
  }

  /** Returns how often Kerberos did something for a principal. */
  private static long said(String what, String whom) {
    return kerberos
        .output()
        .lines()
        .filter(line -> line.contains(what) && line.contains(whom))
        .count();
  }

  @Test
  @Order(7)
  void saysThatKerberosIsAway() throws Exception {
    kerberos.close();
    assertRefused(() -> open(options("varve")), "No Kerberos server could be reached", "krb5.conf");
    try (ServerSocket silent =
        new ServerSocket(kerberos.port(), 10, InetAddress.getLoopbackAddress())) {
      assertThat(silent.isBound()).isTrue();
      Map<String, String> hasty = options("varve");
      hasty.put("operation-timeout", "1s");
      assertRefused(() -> open(hasty), "no answer within operation-timeout, 1000 ms", "krb5.conf");
    }
  }
}
