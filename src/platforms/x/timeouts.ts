/** X's own SDK waits 30 seconds for a call: `timeout` of xdk-gen/templates/typescript/main_client.j2 in https://github.com/xdevplatform/xdk. */
export const CALL_TIMEOUT_MS = 30_000;
