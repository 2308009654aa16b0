interface PageSources {
  powerBiHosts: string[]
  usesRecaptcha: boolean
}

const RECAPTCHA = ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/']

/** Creates the page's Content-Security-Policy: itself, and the report hosts in frames. */
export function createContentSecurityPolicy({ powerBiHosts, usesRecaptcha }: PageSources): string {
  const recaptcha = usesRecaptcha ? ` ${RECAPTCHA.join(' ')}` : ''
  const frames = powerBiHosts.map((host) => ` https://${host}`).join('')
  return [
    "default-src 'none'",
    `script-src 'self'${recaptcha}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src 'self'${frames}${recaptcha}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')
}

/** Report-only: ALTCHA and reCAPTCHA write markup and load scripts from strings (docs/security.md). */
export const REPORT_ONLY_POLICY = "require-trusted-types-for 'script'"

const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Creates the headers of every reply; pages and emulated reports replace the policy. */
export function createSecurityHeaders(isHttps: boolean, powerBiHosts: string[]): [string, string][] {
  const reports = ['self', ...powerBiHosts.map((host) => `"https://${host}"`)].join(' ')
  return [
    ['Content-Security-Policy', API_POLICY],
    ['Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['X-Content-Type-Options', 'nosniff'],
    [
      'Permissions-Policy',
      `camera=(), microphone=(), geolocation=(), payment=(), usb=(), fullscreen=(${reports}), clipboard-write=(${reports})`,
    ],
    ['Cache-Control', 'no-store'],
    ...(isHttps
      ? [['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as [string, string]]
      : []),
  ]
}
