/** A report of the emulated tenant; each lives in a workspace of its own. */
export interface EmulatedReport {
  /** The area whose figures it shows. */
  type: string
  name: string
  workspaceId: string
  reportId: string
  datasetId: string
  /** Where the dataset lives; the report's own workspace when left out. */
  datasetWorkspaceId?: string
  /** A paginated report: it names no dataset, only its data sources do. */
  isPaginated?: boolean
}

/** The emulated directory: its tenant, the portal's service principal and the role that its datasets know. */
export const EMULATED_TENANT_ID = '7c1f0c52-3a5e-4d0b-9c86-51e2a4f7b910'
export const EMULATED_CLIENT_ID = 'b2d94e07-8f61-4c3a-a5d2-0e7c93b6f184'
export const EMULATED_RLS_ROLE = 'Portal'

/** The reports that the demo shows; Operadores is seeded as a share link (SSO), the others as service principal. */
export const EMULATED_REPORTS: readonly EmulatedReport[] = [
  {
    type: 'Vendas',
    name: 'Vendas do grupo',
    workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501',
    reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b701',
    datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f201',
  },
  {
    type: 'Oficina',
    name: 'Oficina e pós-venda',
    workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f502',
    reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b702',
    datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f202',
  },
  {
    type: 'HPD',
    name: 'HPD – Horas produtivas disponíveis',
    workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f503',
    reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b703',
    datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f203',
  },
  {
    type: 'CRM',
    name: 'CRM – Relacionamento',
    workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f504',
    reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b704',
    datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f204',
  },
  {
    type: 'Marketing',
    name: 'Marketing e geração de leads',
    workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f505',
    reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b705',
    datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f205',
  },
  {
    type: 'Gerentes',
    name: 'Gerentes – Metas e resultados',
    workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f506',
    reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b706',
    datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f206',
  },
  {
    type: 'Operadores',
    name: 'Operadores – Central de atendimento',
    workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f507',
    reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b707',
    datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f207',
  },
]

/** A report whose dataset has no row-level security: what an administrator meets who forgot the role. */
export const EMULATED_REPORT_WITHOUT_RLS: EmulatedReport = {
  type: 'Vendas',
  name: 'Vendas sem segurança por linha',
  workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f508',
  reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b708',
  datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f208',
}

/** A thin report: its dataset lives in a workspace of datasets, where the portal must be a member too. */
export const EMULATED_THIN_REPORT: EmulatedReport = {
  type: 'Vendas',
  name: 'Vendas com modelo compartilhado',
  workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f509',
  reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b709',
  datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f209',
  datasetWorkspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f510',
}

/** A paginated report, made from one semantic model of its workspace. */
export const EMULATED_PAGINATED_REPORT: EmulatedReport = {
  type: 'Oficina',
  name: 'Ordens de serviço para imprimir',
  workspaceId: '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f511',
  reportId: '5a7d1e34-0b92-4c68-9f3d-1c8e62a4b711',
  datasetId: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f211',
  isPaginated: true,
}

const ALL_REPORTS = [
  ...EMULATED_REPORTS,
  EMULATED_REPORT_WITHOUT_RLS,
  EMULATED_THIN_REPORT,
  EMULATED_PAGINATED_REPORT,
]

/** The report of an id in any letter case; undefined when the tenant has none. */
export function reportOfId(reportId: string): EmulatedReport | undefined {
  return ALL_REPORTS.find((report) => report.reportId === reportId.toLowerCase())
}

/** The report that a dataset belongs to; undefined when the tenant has no such dataset. */
export function reportOfDataset(datasetId: string): EmulatedReport | undefined {
  return ALL_REPORTS.find((report) => report.datasetId === datasetId.toLowerCase())
}

/** Where the dataset of a report lives. */
export function datasetWorkspaceOf(report: EmulatedReport): string {
  return report.datasetWorkspaceId ?? report.workspaceId
}

export function reportsOfWorkspace(workspaceId: string): EmulatedReport[] {
  return ALL_REPORTS.filter((report) => report.workspaceId === workspaceId.toLowerCase())
}

/** The workspaces of the tenant that the service principal is a member of. */
export function emulatedWorkspaceIds(): string[] {
  return [...new Set(ALL_REPORTS.flatMap((report) => [report.workspaceId, datasetWorkspaceOf(report)]))]
}
