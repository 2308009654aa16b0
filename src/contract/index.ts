import { accountRoutes } from './accounts.ts'
import { operationsRoutes } from './operations.ts'
import { reportSettingsRoutes } from './report-settings.ts'
import { reportRoutes } from './reports.ts'
import type { Routes } from './route.ts'
import { supportRoutes } from './support.ts'
import { userRoutes } from './users.ts'

/** The whole API: one group of routes for each feature. */
export const api = {
  operations: operationsRoutes,
  accounts: accountRoutes,
  users: userRoutes,
  reports: reportRoutes,
  reportSettings: reportSettingsRoutes,
  support: supportRoutes,
} as const satisfies Record<string, Routes>
