/**
 * What the server answers, as JSON, so far as the console reads it; and two types of the page that
 * many modules name. Nothing here is served: `tsc` alone reads it.
 *
 * Each type names the class of module `server` that writes the answer.
 */

/** Labels of a series by name, `__name__` among them if it has a metric. */
type Labels = Record<string, string>;

/** An event of a field whose text or choice was changed. */
type FieldEvent = Event & {
  currentTarget: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
};

/** Columns of a table; see widgets/table.js. */
type Column<Row = any> = {
  title: string;
  of: (row: Row) => any;
  sort?: (row: Row) => string | number;
  number?: boolean;
};

declare namespace Answer {
  /** An instant in seconds since 1970, and the text of a value. */
  type Sample = [number, string];

  type VectorSample = { metric: Labels; value: Sample };
  type MatrixSeries = { metric: Labels; values: Sample[] };

  /** `prometheus.ResultJson`, of an instant query. */
  type Result =
    | { resultType: 'scalar'; result: Sample }
    | { resultType: 'string'; result: Sample }
    | { resultType: 'vector'; result: VectorSample[] }
    | { resultType: 'matrix'; result: MatrixSeries[] };

  /** `prometheus.ResultJson`, of a range query. */
  type Matrix = { resultType: 'matrix'; result: MatrixSeries[] };

  /** `varve.Cells`. */
  type Datasets = { default: string | null; datasets: string[] };
  type Language = {
    functions: { name: string; takes: string; returns: string }[];
    aggregations: string[];
  };
  type Parameter = { name: string; default: string | null; about: string };
  type NamedLayout = { name: string; about: string; parameters: Parameter[] };
  type RowPart = { layout: string; label: string; role: string };
  type Cells = {
    rows: RowPart[];
    findings: { layout: string; rule: string; severity: string; message: string }[];
    cells: Cell[];
    refused: string[];
  };

  /** `varve.ExplanationJson`; coordinates are in hexadecimal, from and to are places of bytes. */
  type Cell = {
    layout: string;
    table: string;
    family: string;
    summary: string;
    index: boolean;
    row: string;
    qualifier: string;
    time: number;
    value: string;
    parts: CellPart[];
  };
  type CellPart = { coordinate: Coordinate; label: string; text: string; from: number; to: number };
  type Coordinate = 'row' | 'family' | 'qualifier' | 'time' | 'value';

  /** `varve.Estimates`. */
  type Amount = { rows: number; cells: number; bytes: number };
  type Estimate = {
    layout: string;
    series: number;
    samples: number;
    data: Amount;
    index: Amount;
    rowsOfWrite: number;
    reads: EstimatedRead[];
    refused: string[];
  };
  type EstimatedRead = Amount & {
    what: string;
    wanted: number;
    ranges: number;
    partitions: number;
    refused?: string;
  };

  /** `varve.ExplanationJson`; times are in milliseconds since 1970. */
  type Explanation = {
    plan: PlanNode;
    scans: Scan[];
    notes: string[];
    microseconds?: number;
  };
  type PlanNode = {
    operator: string;
    detail?: string;
    scan?: number;
    rows?: number;
    values?: number;
    microseconds?: number;
    inputs: PlanNode[];
  };
  type Scan = {
    number: number;
    selector: string;
    from: number;
    to: number;
    labels: string;
    seriesMatched: number;
    reads: PeriodRead[];
    actual?: ActualRead;
  };
  type ActualRead = {
    series: number;
    samples: number;
    rowsRead: number;
    cellsRead: number;
    bytesRead: number;
    requests: number;
    readMicroseconds: number;
    workMicroseconds: number;
  };
  type PeriodRead = {
    layout: string;
    from: number;
    to: number;
    partitions: number;
    slices: number;
    rows: number | 'unknown';
    rowsWanted: number | 'unknown';
    cells: number | 'unknown';
    filters: string[];
    notes: string[];
    lost: string[];
    alternatives: { name: string; cost: string; reason: string }[];
    ranges: RowRange[];
  };
  type RowRange = {
    table: string;
    partition: string;
    from: string;
    to: string;
    fromHex: string;
    toHex: string;
  };

  /** `varve.HeatMapJson`; `cells` has a list for each row, with a value for each column. */
  type HeatMap = {
    table: string;
    /** The series that the user may use alone; missing if all. */
    within?: string;
    tables: { name: string; layout: string; data: boolean }[];
    what: HeatMeasure;
    from: number;
    step: number;
    columns: number;
    spread: number;
    rows: (HeatRow & { total: number })[];
    cells: number[][];
    findings: (HeatRow & { kind: string; says: string })[];
  };
  type HeatMeasure = 'writes' | 'reads' | 'bytes' | 'latency';
  type HeatRow = { from: string; text: string; labels: Labels };

  /** `varve.AdviceJson`. */
  type Advice = {
    dataset: string;
    layout: string[];
    verdict: 'keep' | 'change' | 'companion' | 'unknown';
    missing: string[];
    reasons: { rule: string; about: string; text: string }[];
    present: Costs;
    proposal: Proposal | null;
    queries: AdvisedQuery[];
  };
  type ReadCosts = { requests: number; rows: number; cells: number; bytes: number; cost: number };
  type WriteCosts = { cells: number; bytes: number; hottest: number; largestRow: number };
  type Costs = { read: ReadCosts; write: WriteCosts };
  type Proposal = Costs & {
    layouts: { name: string; key: string; yaml: string | null }[];
    commands: { about: string; text: string }[];
  };
  type AdvisedQuery = {
    query: string;
    count: number;
    share: number;
    measured: ReadCosts;
    present: ReadCosts;
    proposed: ReadCosts | null;
  };

  /** `prometheus.Metadata`, of `/api/v1/status/tsdb`. */
  type Ranked = { name: string; value: number };
  type Cardinality = {
    headStats: { numSeries: number };
    seriesCountByMetricName: Ranked[];
    labelValueCountByLabelName: Ranked[];
    memoryInBytesByLabelName: Ranked[];
    seriesCountByLabelValuePair: Ranked[];
  };

  /** `varve.AdviceRoutes`, oldest day first. */
  type History = { days: { day: string; series: number; labelPairs: number }[] };

  /** `prometheus.Rules`. */
  type Alert = {
    labels: Labels;
    annotations: Labels;
    state: string;
    activeAt: string;
    value: string;
  };
  type Rule = {
    name: string;
    type: string;
    query: string;
    state?: string;
    health: string;
    lastError?: string;
    evaluationTime?: number;
  };
  type RuleGroup = { name: string; file: string; interval: number; rules: Rule[] };

  /** `scrape.TargetsJson`. */
  type Target = {
    labels: Labels;
    scrapePool: string;
    scrapeUrl: string;
    health: string;
    lastError: string;
  };

  /** `queries.QueryStatus`. */
  type QueryOrigin = {
    id: string;
    language: string;
    dataset: string;
    text: string;
    client: string;
  };
  type RunningQuery = QueryOrigin & {
    state: string;
    ranMs: number;
    samplesRead: number;
    bytesHeld: number;
  };
  type SlowQuery = QueryOrigin & { outcome: string; ranMs: number; samplesRead: number };
  type Queries = { running: number; waiting: number; queries: RunningQuery[]; slow: SlowQuery[] };

  /** `operations.DamageStatus`. */
  type Damage = {
    store: string;
    kind: string;
    outcome: string;
    file: string;
    bytes: number;
    keptIn: string | null;
    found: string;
    description: string;
  };
}
