/** A report of the emulated tenant, each in its own workspace. */
export interface EmulatedReport {
  /** The area of its data. */
  type: string
  name: string
  workspaceId: string
  reportId: string
  datasetId: string
  /** The dataset's workspace; the report's by default. */
  datasetWorkspaceId?: string
  /** A paginated report has data sources instead of a dataset. */
  isPaginated?: boolean
}

/** The emulated tenant, the portal's service principal and the role of the datasets. */
export const EMULATED_TENANT_ID = '7c1f0c52-3a5e-4d0b-9c86-51e2a4f7b910'
export const EMULATED_CLIENT_ID = 'b2d94e07-8f61-4c3a-a5d2-0e7c93b6f184'
export const EMULATED_RLS_ROLE = 'Portal'

/** The ids of a workspace, its report and its dataset end in the same number. */
const createWorkspaceId = (number: string) => `3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f5${number}`

const createReport = (number: string, type: string, name: string): EmulatedReport => ({
  type,
  name,
  workspaceId: createWorkspaceId(number),
  reportId: `5a7d1e34-0b92-4c68-9f3d-1c8e62a4b7${number}`,
  datasetId: `91f4b6c8-27e5-4a0d-b3c9-e5d80a16f2${number}`,
})

/** The reports of the demo; Operadores is seeded as a share link (SSO), others as service principal. */
export const EMULATED_REPORTS: readonly EmulatedReport[] = [
  createReport('01', 'Vendas', 'Vendas do grupo'),
  createReport('02', 'Oficina', 'Oficina e pós-venda'),
  createReport('03', 'HPD', 'HPD – Horas produtivas disponíveis'),
  createReport('04', 'CRM', 'CRM – Relacionamento'),
  createReport('05', 'Marketing', 'Marketing e geração de leads'),
  createReport('06', 'Gerentes', 'Gerentes – Metas e resultados'),
  createReport('07', 'Operadores', 'Operadores – Central de atendimento'),
]

/** A report whose dataset has no row-level security, because the role was forgotten. */
export const EMULATED_REPORT_WITHOUT_RLS = createReport('08', 'Vendas', 'Vendas sem segurança por linha')

/** A thin report, whose dataset is in another workspace that the portal must be a member of. */
export const EMULATED_THIN_REPORT: EmulatedReport = {
  ...createReport('09', 'Vendas', 'Vendas com modelo compartilhado'),
  datasetWorkspaceId: createWorkspaceId('10'),
}

/** A paginated report on one semantic model of its workspace. */
export const EMULATED_PAGINATED_REPORT: EmulatedReport = {
  ...createReport('11', 'Oficina', 'Ordens de serviço para imprimir'),
  isPaginated: true,
}

/** A report whose model reads its source by single sign-on, which refuses the portal's identities. */
export const EMULATED_SSO_REPORT = createReport('12', 'Vendas', 'Vendas com logon único (SSO)')

/** The capacity of all workspaces. */
export const EMULATED_CAPACITY_ID = '0f084df7-c13d-451b-af5f-ed0c466403b2'

const ALL_REPORTS = [
  ...EMULATED_REPORTS,
  EMULATED_REPORT_WITHOUT_RLS,
  EMULATED_THIN_REPORT,
  EMULATED_PAGINATED_REPORT,
  EMULATED_SSO_REPORT,
]

/** Finds a report by id, in any letter case. */
export function findReport(reportId: string): EmulatedReport | undefined {
  return ALL_REPORTS.find((report) => report.reportId === reportId.toLowerCase())
}

/** Finds the report of a dataset. */
export function findReportByDataset(datasetId: string): EmulatedReport | undefined {
  return ALL_REPORTS.find((report) => report.datasetId === datasetId.toLowerCase())
}

/** Returns the workspace of a report's dataset. */
export function getDatasetWorkspace(report: EmulatedReport): string {
  return report.datasetWorkspaceId ?? report.workspaceId
}

export function listWorkspaceReports(workspaceId: string): EmulatedReport[] {
  return ALL_REPORTS.filter((report) => report.workspaceId === workspaceId.toLowerCase())
}

/** Lists the workspaces that the service principal is a member of. */
export function listWorkspaceIds(): string[] {
  return [...new Set(ALL_REPORTS.flatMap((report) => [report.workspaceId, getDatasetWorkspace(report)]))]
}
