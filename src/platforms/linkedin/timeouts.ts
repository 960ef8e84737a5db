import { MINUTE } from "#core/clock.ts";

/**
 * Of a call that writes. LinkedIn documents no time limit, and its own clients set none: axios and requests without `timeout`
 * in https://github.com/linkedin-developers/linkedin-api-js-client and …/linkedin-api-python-client. A post whose answer is
 * lost cannot be found for most members, so it is waited for longer than usual.
 */
export const WRITE_TIMEOUT_MS = MINUTE;
