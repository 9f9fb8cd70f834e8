package dev.varve.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreProvidersTest {
  @TempDir private Path plugins;

  @AfterEach
  void forget() {
    System.clearProperty(StoreProviders.PLUGINS);
  }

  @Test
  void findsWhatIsOnTheClassPath() {
    assertThat(StoreProviders.of("memory").kind()).isEqualTo("memory");
  }

  @Test
  void namesTheMissingPluginAndWhatMakesIt() {
    System.setProperty(StoreProviders.PLUGINS, plugins.toString());

    assertThatThrownBy(() -> StoreProviders.of("hbase"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("no folder 'hbase' in [" + plugins + "]")
        .hasMessageContaining("-pl stores/hbase -am package");
    assertThatThrownBy(() -> StoreProviders.of("hbse"))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "there is no store 'hbse'; there are: memory, and as plug-ins: bigtable, cassandra, hbase");
    assertThatThrownBy(() -> StoreProviders.of("../memory"))
        .hasMessageContaining("there is no store '../memory'");
  }

  @Test
  void refusesAFolderWithoutAPlugin() throws IOException {
    System.setProperty(StoreProviders.PLUGINS, plugins.toString());
    Files.createDirectory(plugins.resolve("hbase"));

    assertThatThrownBy(() -> StoreProviders.of("hbase"))
        .hasMessageContaining("holds no plug-in of store 'hbase'");
  }

  /** The plug-in has a class that is also on this class path, and a provider of the store's. */
  @Test
  void loadsAPluginAmongItsOwnClasses() throws Exception {
    Path folder = Files.createDirectory(plugins.resolve("plugged"));
    try (OutputStream out = Files.newOutputStream(folder.resolve("plugged.jar"));
        JarOutputStream jar = new JarOutputStream(out)) {
      add(jar, PluggedProvider.class);
      add(jar, org.assertj.core.api.AssertionInfo.class);
      jar.putNextEntry(new ZipEntry("META-INF/services/" + StoreProvider.class.getName()));
      jar.write(PluggedProvider.class.getName().getBytes(StandardCharsets.UTF_8));
    }
    System.setProperty(StoreProviders.PLUGINS, plugins.toString());

    Store store = StoreProviders.of("plugged").open(plugins, 0, Map.of());

    assertThat(store.kind()).isEqualTo("memory");
    assertThat(StoreProviders.of("plugged").kind()).isEqualTo("plugged");
    try (PluginClasses classes = PluginClasses.of("plugged", folder)) {
      assertThat(classes.loadClass("org.assertj.core.api.AssertionInfo"))
          .isNotSameAs(org.assertj.core.api.AssertionInfo.class);
      assertThat(classes.loadClass(Store.class.getName())).isSameAs(Store.class);
      assertThatThrownBy(() -> classes.loadClass("net.jqwik.api.Property"))
          .isInstanceOf(ClassNotFoundException.class);
      assertThat(
              classes
                  .getResources("META-INF/services/" + StoreProvider.class.getName())
                  .asIterator())
          .toIterable()
          .hasSize(1);
    }
  }

  private static void add(JarOutputStream jar, Class<?> type) throws IOException {
    String entry = type.getName().replace('.', '/') + ".class";
    jar.putNextEntry(new ZipEntry(entry));
    try (InputStream bytes = type.getClassLoader().getResourceAsStream(entry)) {
      jar.write(bytes.readAllBytes());
    }
  }
}
