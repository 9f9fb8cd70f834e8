/**
 * Writes samples as rows of Apache Parquet, one row for each sample, for programs that analyse
 * tables.
 *
 * <p>{@link dev.varve.formats.parquet.ParquetExport} gathers rows into a {@link
 * dev.varve.formats.parquet.RowGroup}, whose columns {@link dev.varve.formats.parquet.ColumnPages}
 * encodes; {@link dev.varve.formats.parquet.Footer} is the end of the file. There is no reader: the
 * importer has a library for that. Source: <a
 * href="https://github.com/apache/parquet-format">parquet-format</a>, version 2.
 */
@NullMarked
package dev.varve.formats.parquet;

import org.jspecify.annotations.NullMarked;
