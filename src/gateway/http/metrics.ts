/** Counts of requests, as Prometheus reads them. */

interface Served {
  count: number;
  seconds: number;
}

export class Metrics {
  readonly #served = new Map<string, Served>();

  /** `path` is that of the route, not of the request: anybody can make up paths. */
  add(method: string, path: string, status: number, ms: number): void {
    const labels = `method="${method}",path="${path}",status="${status}"`;
    const served = this.#served.get(labels) ?? { count: 0, seconds: 0 };
    served.count++;
    served.seconds += ms / 1000;
    this.#served.set(labels, served);
  }

  text(gauges: Readonly<Record<string, number>>): string {
    const served = [...this.#served];
    return [
      ...Object.entries(gauges).flatMap(([name, value]) => [`# TYPE ${name} gauge`, `${name} ${value}`]),
      "# TYPE colloquy_requests_total counter",
      ...served.map(([labels, { count }]) => `colloquy_requests_total{${labels}} ${count}`),
      "# TYPE colloquy_request_seconds_total counter",
      ...served.map(
        ([labels, { seconds }]) => `colloquy_request_seconds_total{${labels}} ${seconds.toFixed(6)}`,
      ),
      "",
    ].join("\n");
  }
}
