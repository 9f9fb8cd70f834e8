package dev.varve.store.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.StoreException;
import dev.varve.store.hbase.HBaseOptions.Kerberos;
import dev.varve.store.hbase.HBaseOptions.Wal;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.junit.jupiter.api.Test;

class HBaseOptionsTest {
  @Test
  void hasDefaults() {
    assertThat(HBaseOptions.parse(Map.of()))
        .isEqualTo(HBaseOptions.DEFAULTS)
        .isEqualTo(
            new HBaseOptions(
                "127.0.0.1",
                2181,
                "/hbase",
                "default",
                null,
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                10,
                8,
                Wal.SYNC,
                Compression.Algorithm.NONE,
                DataBlockEncoding.FAST_DIFF,
                Map.of()));
  }

  @Test
  void readsEveryOption() {
    Map<String, String> options =
        Map.ofEntries(
            Map.entry("quorum", "zk1,zk2:2182"),
            Map.entry("port", "2183"),
            Map.entry("znode", "/hbase-secure"),
            Map.entry("namespace", "varve"),
            Map.entry("principal", "varve@EXAMPLE.ORG"),
            Map.entry("keytab", "/etc/varve.keytab"),
            Map.entry("operation-timeout", "2m"),
            Map.entry("rpc-timeout", "500ms"),
            Map.entry("retries", "0"),
            Map.entry("concurrency", "256"),
            Map.entry("wal", "fsync"),
            Map.entry("compression", "zstd"),
            Map.entry("encoding", "diff"),
            Map.entry("hbase.client.pause", "10"),
            Map.entry("hadoop.security.auth_to_local", "DEFAULT"));
    assertThat(HBaseOptions.parse(options))
        .isEqualTo(
            new HBaseOptions(
                "zk1,zk2:2182",
                2183,
                "/hbase-secure",
                "varve",
                new Kerberos("varve@EXAMPLE.ORG", "/etc/varve.keytab", "hbase/_HOST@EXAMPLE.ORG"),
                Duration.ofMinutes(2),
                Duration.ofMillis(500),
                0,
                256,
                Wal.FSYNC,
                Compression.Algorithm.ZSTD,
                DataBlockEncoding.DIFF,
                Map.of("hbase.client.pause", "10", "hadoop.security.auth_to_local", "DEFAULT")));
  }

  @Test
  void namesAllThatIsWrong() {
    Map<String, String> options =
        Map.of(
            "quorm", "a", "port", "70000", "rpc-timeout", "5", "wal", "never", "keytab", "/etc/k");
    assertThatThrownBy(() -> HBaseOptions.parse(options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("unknown option 'quorm' (did you mean 'quorum'?)")
        .hasMessageContaining("option port: '70000' is not a number from 1 to 65535")
        .hasMessageContaining("option rpc-timeout: '5' is not a duration such as 500ms")
        .hasMessageContaining("option wal: 'never' is not one of sync, fsync")
        .hasMessageContaining("options principal and keytab must be set together");
  }

  @Test
  void tellsTheClient() {
    Configuration settings =
        ClientSettings.of(
            HBaseOptions.parse(
                Map.of(
                    "quorum", "zk1",
                    "principal", "varve@EXAMPLE.ORG",
                    "keytab", "/etc/varve.keytab",
                    "server-principal", "hb/_HOST@EXAMPLE.ORG",
                    "hbase.client.pause", "7")));
    assertThat(settings.get("hbase.zookeeper.quorum")).isEqualTo("zk1");
    assertThat(settings.get("hbase.security.authentication")).isEqualTo("kerberos");
    assertThat(settings.get("hadoop.security.authentication")).isEqualTo("kerberos");
    assertThat(settings.get("hbase.regionserver.kerberos.principal"))
        .isEqualTo("hb/_HOST@EXAMPLE.ORG");
    assertThat(settings.get("hbase.rpc.protection")).isEqualTo("privacy,integrity,authentication");
    assertThat(settings.getInt("hbase.client.pause", 100)).isEqualTo(7);
  }
}
