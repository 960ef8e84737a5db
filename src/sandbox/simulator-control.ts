import type { PublishedExtra, PublishedPost, SimulatorSettings } from "./contract.ts";
import type { InjectedFault } from "./injected-fault.ts";

/** One call that a platform received. Query, headers and body are left out, because they contain tokens. */
export interface RecordedCall {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** The response's status; null while the call is in progress, and forever if the connection was dropped. */
  readonly status: number | null;
  /** The time in ISO 8601. */
  readonly at: string;
}

/** An injected fault that still applies to `left` calls. */
export interface OpenFault extends InjectedFault {
  readonly left: number;
}

export type SettingsChange = {
  readonly [K in Exclude<keyof SimulatorSettings, "extra">]?: SimulatorSettings[K] | undefined;
} & {
  readonly extra?: SimulatorSettings["extra"] | undefined;
};

/** The calls for tests and developers on a platform's Durable Object, besides the platform's own API. */
export interface SimulatorControl {
  publishedPosts(account: string | null): Promise<PublishedPost[]>;
  publishedExtras(): Promise<readonly PublishedExtra[]>;
  /** The newest `RECORDED_CALLS_MAX` calls at or after `since`, oldest first. */
  calls(since: number): Promise<RecordedCall[]>;
  /** The tokens, codes, secrets and passwords that were sent or received; none unless `RECORD_SECRETS` is set. */
  secrets(): Promise<string[]>;
  /** Adds a fault. Returns the number of open faults; null if their maximum was already reached. */
  addFault(fault: InjectedFault): Promise<number | null>;
  openFaults(): Promise<OpenFault[]>;
  clearFaults(): Promise<void>;
  /** Changes the given settings and returns all of them. */
  changeSettings(change: SettingsChange): Promise<SimulatorSettings>;
  revoke(account: string): Promise<boolean>;
  /**
   * Ends the grant because the user revoked the app at another simulator. Has no effect unless the simulator has the
   * setting `shared_app`.
   */
  endGrant(login: string): Promise<void>;
}
