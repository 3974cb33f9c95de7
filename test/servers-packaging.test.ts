// The examples for several servers: what Kubernetes says about them, and what must be in them for nobody to notice an upgrade.
import { readFile } from 'node:fs/promises';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readClickHouse } from '../src/clickhouse/clickhouse-settings.ts';
import { SETTINGS } from '../src/config.ts';

// biome-ignore lint/suspicious/noExplicitAny: what is in the files is what the tests ask.
type Document = any;

const KINDS = { Deployment, PodDisruptionBudget, Service } as const;
const KNOWN: readonly string[] = SETTINGS.map(({ name }) => name);

async function read(path: string): Promise<string> {
  return await readFile(new URL(`../packaging/${path}`, import.meta.url), 'utf8');
}

async function kubernetes(): Promise<Record<keyof typeof KINDS, Document>> {
  const documents = parseAllDocuments(await read('kubernetes.yaml')).map((each) => each.toJS());
  return Object.fromEntries(documents.map((each) => [each.kind, each])) as Record<keyof typeof KINDS, Document>;
}

function validate(document: Document): void {
  new KINDS[document.kind as keyof typeof KINDS](document).validate();
}

describe('packaging/kubernetes.yaml', () => {
  it('has a deployment, a service and a disruption budget that Kubernetes understands', async () => {
    const documents = Object.values(await kubernetes());
    expect(documents.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodDisruptionBudget']);
    for (const document of documents) validate(document);
    // A fault is found.
    const [deployment] = documents;
    deployment.spec.template.spec.containers[0].readinessProbe.httpGet.port = {};
    expect(() => validate(deployment)).toThrow('readinessProbe/httpGet/port must be');
  });

  it('keeps nothing in a server, asks the right probes, and waits for what was accepted', async () => {
    const { Deployment: deployment, Service: service, PodDisruptionBudget: budget } = await kubernetes();
    const { spec } = deployment.spec.template;
    const [container] = spec.containers;
    expect(spec.volumes.map(({ emptyDir }: Document) => emptyDir)).toEqual([{}, {}]);
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((name) => container[name].httpGet.path);
    expect(probes).toEqual(['/readyz', '/readyz', '/healthz']);
    const shutdownSeconds = Number(SETTINGS.find(({ name }) => name === 'KEYRANK_SHUTDOWN_SECONDS')?.default);
    const preStopSeconds = Number(container.lifecycle.preStop.exec.command[1]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds + preStopSeconds);
    expect(budget.spec.minAvailable).toBe(deployment.spec.replicas - 1);
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    const labels = deployment.spec.template.metadata.labels;
    for (const { spec: other } of [service, budget])
      expect(other.selector.matchLabels ?? other.selector).toEqual(labels);
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.ports.map(({ targetPort }: Document) => targetPort)).toEqual(['http']);
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    expect(container.env.map(({ name }: Document) => name).filter((name: string) => !KNOWN.includes(name))).toEqual([]);
  });
});

describe('packaging/compose.servers.yaml', () => {
  it('starts three servers alike on one database and one bucket, each with limits', async () => {
    const { services, configs, volumes } = parse(await read('compose.servers.yaml'), { merge: true });
    const servers = ['first', 'second', 'third'].map((name) => services[name]);
    expect(servers[1]).toEqual(servers[0]);
    expect(servers[2]).toEqual(servers[0]);
    const [{ environment, volumes: own }] = servers;
    expect(own).toBeUndefined();
    const settings = Object.keys(environment);
    expect(settings).toEqual(
      expect.arrayContaining(['KEYRANK_STORAGE', 'DATABASE_URL', 'KEYRANK_SERVICE_DATABASE_URL']),
    );
    expect(settings.filter((name) => !KNOWN.includes(name))).toEqual([]);
    for (const service of Object.values<Document>(services)) {
      expect(service.mem_limit).toMatch(/^\d+g$/);
      expect(service.pids_limit).toBeGreaterThan(0);
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
      expect(service.image ?? ':1.0').toMatch(/:(\d+\.\d+|RELEASE\.\d{4}-)/);
    }
    expect(Object.keys(volumes)).toEqual(['database', 'storage', 'shard1', 'shard2']);
    const asked = [...configs.proxy.content.matchAll(/server (\w+):8080/g)].map(([, name]) => name);
    expect(asked).toEqual(['first', 'second', 'third']);
  });

  it('has two shards of ClickHouse for whoever wants them, which all servers name and which know each other', async () => {
    const { services, configs } = parse(await read('compose.servers.yaml'), { merge: true });
    const shards = Object.keys(services).filter((name) => services[name].profiles?.includes('clickhouse'));
    expect(shards).toEqual(['shard1', 'shard2']);
    const { environment } = services.first;
    expect(environment.KEYRANK_RANK_STORE).toMatch(/:-memory\}$/);
    const urls = environment.CLICKHOUSE_URL.replaceAll(/\$\{CLICKHOUSE_PASSWORD:-none\}/g, 'secret');
    const settings = readClickHouse({ urls, cluster: environment.KEYRANK_CLICKHOUSE_CLUSTER });
    expect(settings).toMatchObject({ username: services.shard1.environment.CLICKHOUSE_USER, password: 'secret' });
    expect(settings?.hosts).toEqual(shards.map((name) => `http://${name}:8123`));
    const named = [...configs.shards.content.matchAll(/<host>(\w+)<\/host>/g)].map(([, name]) => name);
    expect(named).toEqual(shards);
    expect(configs.shards.content).toContain(`<${environment.KEYRANK_CLICKHOUSE_CLUSTER}>`);
  });
});
