/** Whether nobody sits in front of this run. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  return env["CI"] !== undefined && env["CI"] !== "" && env["CI"] !== "false";
}

/** Whether nobody but the operator reads what this command prints: logs of CI can be public, those of Workers Builds are not. */
export function isPrivateOutput(env: NodeJS.ProcessEnv): boolean {
  return !isCi(env) || env["WORKERS_CI"] !== undefined;
}
