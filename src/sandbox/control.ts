import type { BookEntry, SimSettings } from "./contract.ts";
import type { Fault } from "./faults.ts";

/** One call that arrived at a platform. Never a query, a header or a body: those carry tokens. */
export interface CallEntry {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Null while it is being answered, and for good when the connection was cut. */
  readonly status: number | null;
  /** ISO 8601. */
  readonly at: string;
}

/** A planned fault and how often it will still strike. */
export interface OpenFault extends Fault {
  readonly left: number;
}

export type SettingsChange = { readonly [K in Exclude<keyof SimSettings, "extra">]?: SimSettings[K] | undefined } & {
  readonly extra?: SimSettings["extra"] | undefined;
};

/** What a test or a person can ask of a platform's object beside the platform's own API. */
export interface SimulatorControl {
  book(account: string | null): Promise<BookEntry[]>;
  /** The newest `CALLS_KEPT` calls at or after `since`, oldest first. */
  calls(since: number): Promise<CallEntry[]>;
  /** How many are open now; null when there are as many as are allowed already. */
  addFault(fault: Fault): Promise<number | null>;
  faults(): Promise<OpenFault[]>;
  clearFaults(): Promise<void>;
  /** Changes what is named, keeps the rest, answers with all. */
  change(change: SettingsChange): Promise<SimSettings>;
  revoke(account: string): Promise<boolean>;
}
