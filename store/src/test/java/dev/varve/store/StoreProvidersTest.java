package dev.varve.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.plugged.UnfitProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.assertj.core.api.AssertionInfo;
import org.jspecify.annotations.Nullable;
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
            "there is no store 'hbse'; available: memory, and as plug-ins: bigtable, cassandra, hbase");
    assertThatThrownBy(() -> StoreProviders.of("../memory"))
        .hasMessageContaining("there is no store '../memory'");
  }

  @Test
  void refusesAFolderWithoutAPlugin() throws IOException {
    System.setProperty(StoreProviders.PLUGINS, plugins.toString());
    Files.createDirectory(plugins.resolve("hbase"));

    assertThatThrownBy(() -> StoreProviders.of("hbase"))
        .hasMessageContaining("contains no plug-in for store 'hbase'");
  }

  /** The plug-in contains a class that is also on this class path, and a store provider. */
  @Test
  void loadsAPluginAmongItsOwnClasses() throws Exception {
    Path folder = pack("plugged", null, PluggedProvider.class, AssertionInfo.class);
    System.setProperty(StoreProviders.PLUGINS, plugins.toString());

    Store store = StoreProviders.of("plugged").open(plugins, 0, Map.of());

    assertThat(store.kind()).isEqualTo("memory");
    assertThat(StoreProviders.of("plugged").kind()).isEqualTo("plugged");
    try (PluginClasses classes = PluginClasses.of("plugged", folder)) {
      assertThat(classes.loadClass("org.assertj.core.api.AssertionInfo"))
          .isNotSameAs(AssertionInfo.class);
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

  @Test
  void takesAPluginOfItsOwnVersionOnly() throws Exception {
    Path folder = pack("old", "0.1.0", PluggedProvider.class);
    assertThatThrownBy(() -> StoreProviders.load("plugged", folder, "0.2.0"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has version 0.1.0, but this is Varve 0.2.0")
        .hasMessageContaining("unpack the plug-in for this version");
    assertThat(StoreProviders.load("plugged", folder, "0.1.0").kind()).isEqualTo("plugged");
    Path unnamed = pack("unnamed", null, PluggedProvider.class);
    assertThatThrownBy(() -> StoreProviders.load("plugged", unnamed, "0.2.0"))
        .hasMessageContaining("has version unknown");
  }

  @Test
  void saysThatAPluginDoesNotFit() throws Exception {
    Path folder = pack("unfit", null, UnfitProvider.class);
    StoreProvider unfit = StoreProviders.load("unfit", folder, null);
    assertThatThrownBy(() -> unfit.open(plugins, 0, Map.of()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(
            "is incompatible with this version of Varve (java.lang.NoClassDefFoundError: org/assertj")
        .hasMessageContaining("unpack the plug-in for this version");
    Path empty = Files.createDirectory(plugins.resolve("empty"));
    try (OutputStream out = Files.newOutputStream(empty.resolve("plugged.jar"));
        JarOutputStream jar = new JarOutputStream(out)) {
      name(jar, UnfitProvider.class);
    }
    assertThatThrownBy(() -> StoreProviders.load("unfit", empty, null))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is incompatible with this version of Varve");
  }

  /** Creates a folder with a jar of some classes; the first is the provider. */
  private Path pack(String folder, @Nullable String version, Class<?>... types) throws IOException {
    Path made = Files.createDirectory(plugins.resolve(folder));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    if (version != null) {
      manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    }
    try (OutputStream out = Files.newOutputStream(made.resolve("plugged.jar"));
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      for (Class<?> type : types) {
        add(jar, type);
      }
      name(jar, types[0]);
    }
    return made;
  }

  private static void name(JarOutputStream jar, Class<?> provider) throws IOException {
    jar.putNextEntry(new ZipEntry("META-INF/services/" + StoreProvider.class.getName()));
    jar.write(provider.getName().getBytes(StandardCharsets.UTF_8));
  }

  private static void add(JarOutputStream jar, Class<?> type) throws IOException {
    String entry = type.getName().replace('.', '/') + ".class";
    jar.putNextEntry(new ZipEntry(entry));
    try (InputStream bytes = type.getClassLoader().getResourceAsStream(entry)) {
      jar.write(bytes.readAllBytes());
    }
  }
}
