/** Replaces the pictures of the simulated platforms, because their hosts do not exist. */
export const AVATAR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="#d9c7a3"/>
  <circle cx="20" cy="16" r="7" fill="#7a5c3e"/><path d="M6 40a14 14 0 0 1 28 0z" fill="#1f5a45"/></svg>`;
