import { docsRoutes } from './docs.ts'
import { healthRoutes } from './health.ts'
import { metricsRoutes } from './metrics.ts'
import { passwordRoutes } from './passwords.ts'
import { profileRoutes } from './profiles.ts'
import { reportSettingsRoutes } from './report-settings.ts'
import { reportRoutes } from './reports.ts'
import type { Routes } from './route.ts'
import { signInRoutes } from './sign-in.ts'
import { supportRoutes } from './support.ts'

/** The whole API: one group of routes for each feature. */
export const api = {
  health: healthRoutes,
  docs: docsRoutes,
  metrics: metricsRoutes,
  signIn: signInRoutes,
  passwords: passwordRoutes,
  profiles: profileRoutes,
  reports: reportRoutes,
  reportSettings: reportSettingsRoutes,
  support: supportRoutes,
} as const satisfies Record<string, Routes>
