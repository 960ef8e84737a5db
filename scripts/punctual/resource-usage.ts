import { readdir } from "node:fs/promises";
import { connectToIsolate, peaksDuring, residentMib } from "../memory.ts";
import { call } from "../service.ts";

export interface ResourceUsage {
  readonly residentMib: number;
  readonly descriptors: number;
  /** Memory of the Worker's own isolate, uncollected garbage included. */
  readonly isolateMib: number;
}

export interface D1Counts {
  readonly roundTrips: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

/** Reads memory, descriptors, processor time and D1 calls of the runtime that runs the service. */
export class RuntimeGauge {
  readonly pid: number;
  readonly #origin: string;
  readonly #isolateMib: () => Promise<number>;

  private constructor(pid: number, origin: string, isolateMib: () => Promise<number>) {
    this.pid = pid;
    this.#origin = origin;
    this.#isolateMib = isolateMib;
  }

  static async open(pid: number, origin: string, inspectorPort: number): Promise<RuntimeGauge> {
    return new RuntimeGauge(pid, origin, await connectToIsolate(inspectorPort));
  }

  async descriptors(): Promise<number> {
    return (await readdir(`/proc/${this.pid}/fd`)).length;
  }

  async usage(): Promise<ResourceUsage> {
    return {
      residentMib: await residentMib(this.pid),
      descriptors: await this.descriptors(),
      isolateMib: await this.#isolateMib(),
    };
  }

  d1(): Promise<D1Counts> {
    return call<D1Counts>(this.#origin, "GET", "/sandbox/d1");
  }

  /** The highest resident memory and number of descriptors while `work` runs. */
  async peaks<T>(work: () => Promise<T>): Promise<{ value: T; residentMib: number; descriptors: number }> {
    const gauges = [() => residentMib(this.pid), () => this.descriptors()];
    const { value, peaks } = await peaksDuring(gauges, work);
    return { value, residentMib: peaks[0] ?? Number.NaN, descriptors: peaks[1] ?? Number.NaN };
  }
}
