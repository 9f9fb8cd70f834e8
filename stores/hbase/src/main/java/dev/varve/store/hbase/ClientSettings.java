package dev.varve.store.hbase;

import dev.varve.store.hbase.HBaseOptions.Kerberos;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;

/** Builds the configuration of HBase's client. */
final class ClientSettings {
  private ClientSettings() {}

  static Configuration of(HBaseOptions options) {
    Configuration settings = HBaseConfiguration.create();
    settings.setClassLoader(ClientSettings.class.getClassLoader());
    settings.set("hbase.zookeeper.quorum", options.quorum());
    settings.setInt("hbase.zookeeper.property.clientPort", options.port());
    settings.set("zookeeper.znode.parent", options.znode());
    setMillis(settings, "hbase.rpc.timeout", options.rpcTimeout());
    setMillis(settings, "hbase.client.operation.timeout", options.operationTimeout());
    setMillis(settings, "hbase.client.meta.operation.timeout", options.operationTimeout());
    setMillis(settings, "hbase.client.scanner.timeout.period", options.operationTimeout());
    settings.setInt("hbase.client.retries.number", options.retries());
    if (options.kerberos() != null) {
      setKerberos(settings, options.kerberos());
    }
    options.more().forEach(settings::set);
    return settings;
  }

  private static void setMillis(Configuration settings, String name, Duration time) {
    settings.setInt(name, (int) Math.min(Integer.MAX_VALUE, time.toMillis()));
  }

  private static void setKerberos(Configuration settings, Kerberos kerberos) {
    settings.set("hadoop.security.authentication", "kerberos");
    settings.set("hbase.security.authentication", "kerberos");
    settings.set("hbase.master.kerberos.principal", kerberos.serverPrincipal());
    settings.set("hbase.regionserver.kerberos.principal", kerberos.serverPrincipal());
    // The client uses the first one that the server supports too.
    settings.set("hbase.rpc.protection", "privacy,integrity,authentication");
  }
}
