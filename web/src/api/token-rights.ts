// Made from crates/moretta-server/openapi.json by `npm run types`.

/** Rights that a token of a person can have. */
export const TOKEN_RIGHTS: readonly string[] = [
  'data.upload',
  'jobs.attack',
  'jobs.run',
  'jobs.verify',
  'policies.write',
  'releases.read',
  'signed',
]
