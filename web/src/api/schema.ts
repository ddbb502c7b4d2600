// Made from crates/moretta-server/openapi.json by `npm run types`.
export interface paths {
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The log of everything */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What administrators did */
        get: operations["getAuditAdmin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole log with its sums, as `moretta audit` verifies it */
        get: operations["getAuditExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the whole log again and recomputes its sums */
        get: operations["getAuditVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Copies of the store that are kept */
        get: operations["getBackups"];
        put?: never;
        /** Copies the store as it is now, beside it, and deletes all but the last three copies */
        post: operations["postBackups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/catalogue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Methods with their parameters, measures, attacks and learners */
        get: operations["getCatalogue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/demo/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in as a person of a demonstration; elsewhere there is none */
        post: operations["postDemoSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What changes, as it does: jobs, streams, releases, what waits, and when the session locks */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/explain/{topic}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a method, measure, attack or learner is */
        get: operations["getExplainTopic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server answers, and its store */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for oneself, in all projects */
        get: operations["getInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a link is for */
        post: operations["postLinksLook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Uses an invitation or a reset: chooses a password and signs in */
        post: operations["postLinksUse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who one is, and what one may do in which project */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes preferences and idle minutes */
        patch: operations["patchMe"];
        trace?: never;
    };
    "/api/v1/me/drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The own drafts */
        get: operations["getMeDrafts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/drafts/{draft}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A draft */
        get: operations["getMeDraftsDraft"];
        /** Keeps a draft, or another state of it */
        put: operations["putMeDraftsDraft"];
        post?: never;
        /** Forgets a draft */
        delete: operations["deleteMeDraftsDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets it up, by a first code; gives recovery codes */
        put: operations["putMeFactor"];
        /** Begins to set up a second factor, by the password and the one before */
        post: operations["postMeFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes the password, and ends all other sessions */
        post: operations["postMePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The own sessions */
        get: operations["getMeSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends one of them, at once */
        delete: operations["deleteMeSessionsSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The own tokens */
        get: operations["getMeTokens"];
        put?: never;
        /** Makes a token; its secret is shown once */
        post: operations["postMeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a token, at once */
        delete: operations["deleteMeTokensToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This documentation */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy-schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The JSON Schema of a policy */
        get: operations["getPolicySchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Projects of which one is a member; of administrators and auditors, all */
        get: operations["getProjects"];
        put?: never;
        /** Makes a project */
        post: operations["postProjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Renames, closes or opens a project */
        patch: operations["patchProjectsProject"];
        trace?: never;
    };
    "/api/v1/projects/{project}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The log of a project */
        get: operations["getProjectsProjectAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The entries of a project with their sums, which are those of the whole log */
        get: operations["getProjectsProjectAuditExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the whole log again, for readers of that of a project */
        get: operations["getProjectsProjectAuditVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Data sets of a project */
        get: operations["getProjectsProjectDatasets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A data set and its last version */
        get: operations["getProjectsProjectDatasetsDataset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/identifiers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Moves what more columns hold to the vault, from all versions */
        put: operations["putProjectsProjectDatasetsDatasetIdentifiers"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was released of a data set, and what jobs were charged */
        get: operations["getProjectsProjectDatasetsDatasetLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions of a data set, the newest first */
        get: operations["getProjectsProjectDatasetsDatasetVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A version of a data set */
        get: operations["getProjectsProjectDatasetsDatasetVersionsVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}/deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks a second person to delete the bytes of a version */
        post: operations["postProjectsProjectDatasetsDatasetVersionsVersionDeletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}/identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What one pseudonym stands for, for a stated purpose */
        post: operations["postProjectsProjectDatasetsDatasetVersionsVersionIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the columns of a version are like, and what is new since the one before */
        get: operations["getProjectsProjectDatasetsDatasetVersionsVersionProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Raw rows of a version, a page at a time, for a stated purpose */
        get: operations["getProjectsProjectDatasetsDatasetVersionsVersionRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/deletions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deletions that wait for a second person */
        get: operations["getProjectsProjectDeletions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/deletions/{wish}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deletes the bytes of a version as another person has asked, or refuses to */
        post: operations["postProjectsProjectDeletionsWishDecision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/hierarchies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Hierarchies of a project */
        get: operations["getProjectsProjectHierarchies"];
        put?: never;
        /** Makes a hierarchy */
        post: operations["postProjectsProjectHierarchies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/hierarchies/{text}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last version of a hierarchy, in the layout of ARX */
        get: operations["getProjectsProjectHierarchiesText"];
        /** Makes a new version of a hierarchy */
        put: operations["putProjectsProjectHierarchiesText"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/hierarchies/{text}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions of a hierarchy, the newest first */
        get: operations["getProjectsProjectHierarchiesTextVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/hierarchies/{text}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A version of a hierarchy */
        get: operations["getProjectsProjectHierarchiesTextVersionsVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/hierarchies/{text}/versions/{version}/restoration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a new version of a hierarchy with the content of an old one */
        post: operations["postProjectsProjectHierarchiesTextVersionsVersionRestoration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files of the inbox of the server, which can become data */
        get: operations["getProjectsProjectInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/inbox/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a version of a data set of a file of the inbox */
        post: operations["postProjectsProjectInboxFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Jobs, the newest first */
        get: operations["getProjectsProjectJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/attack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Attacks what a policy would release */
        post: operations["postProjectsProjectJobsAttack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/explore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tries methods and values of k */
        post: operations["postProjectsProjectJobsExplore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/learn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compares learners on original and protected rows */
        post: operations["postProjectsProjectJobsLearn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what a run of a policy would face */
        post: operations["postProjectsProjectJobsPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tries a policy on a sample */
        post: operations["postProjectsProjectJobsPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what columns are like, in rounded counts */
        post: operations["postProjectsProjectJobsProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/tune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finds how much a policy may protect and still meet goals */
        post: operations["postProjectsProjectJobsTune"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Holds a release against its policy again */
        post: operations["postProjectsProjectJobsVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A job and what it has found */
        get: operations["getProjectsProjectJobsJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a job that nobody wants any more */
        post: operations["postProjectsProjectJobsJobCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has a job done again that failed or was cancelled */
        post: operations["postProjectsProjectJobsJobRetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is a member, as what and until when */
        get: operations["getProjectsProjectMembers"];
        put?: never;
        /** Makes somebody a member, or asks a second person to */
        post: operations["postProjectsProjectMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/members/finer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks for a finer level for oneself */
        post: operations["postProjectsProjectMembersFiner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a membership, at once */
        delete: operations["deleteProjectsProjectMembersUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Policies of a project */
        get: operations["getProjectsProjectPolicies"];
        put?: never;
        /** Makes a policy */
        post: operations["postProjectsProjectPolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/policies/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whether a policy can be used; what is wrong is told with line and column */
        post: operations["postProjectsProjectPoliciesCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/policies/{text}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last version of a policy */
        get: operations["getProjectsProjectPoliciesText"];
        /** Makes a new version of a policy */
        put: operations["putProjectsProjectPoliciesText"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/policies/{text}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions of a policy, the newest first */
        get: operations["getProjectsProjectPoliciesTextVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/policies/{text}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A version of a policy */
        get: operations["getProjectsProjectPoliciesTextVersionsVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/policies/{text}/versions/{version}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A policy with all that the command line needs to make the same bytes */
        get: operations["getProjectsProjectPoliciesTextVersionsVersionBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/policies/{text}/versions/{version}/restoration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a new version of a policy with the content of an old one */
        post: operations["postProjectsProjectPoliciesTextVersionsVersionRestoration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many previews were made in the last day, and jobs that tell as much of raw data */
        get: operations["getProjectsProjectPreviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who could read what at a time, by the log */
        get: operations["getProjectsProjectReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/released-streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Streams whose released rows are for one's own level or coarser ones */
        get: operations["getProjectsProjectReleasedStreams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was published at one's own level or coarser ones */
        get: operations["getProjectsProjectReleases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A release: what was lost, how to cite and to verify it */
        get: operations["getProjectsProjectReleasesRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}/levels/{level}/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many released rows show the same in up to three columns */
        get: operations["getProjectsProjectReleasesReleaseLevelsLevelCounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}/levels/{level}/dictionary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the columns of a level and their values mean */
        get: operations["getProjectsProjectReleasesReleaseLevelsLevelDictionary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}/levels/{level}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The released file */
        get: operations["getProjectsProjectReleasesReleaseLevelsLevelFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}/levels/{level}/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The signed manifest of a level, where the project signs */
        get: operations["getProjectsProjectReleasesReleaseLevelsLevelManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}/levels/{level}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The report of a level, as a page in a sandbox */
        get: operations["getProjectsProjectReleasesReleaseLevelsLevelReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}/levels/{level}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Released rows, page by page */
        get: operations["getProjectsProjectReleasesReleaseLevelsLevelRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/releases/{release}/revocation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a release back, at once */
        post: operations["postProjectsProjectReleasesReleaseRevocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Releases that were asked for, and what has become of them */
        get: operations["getProjectsProjectRequests"];
        put?: never;
        /** Asks for a release: it is run at once, and then waits for an officer */
        post: operations["postProjectsProjectRequests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests/{release}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All that an officer needs to know to decide */
        get: operations["getProjectsProjectRequestsRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests/{release}/approval": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approves and publishes exactly the bytes that a manifest names */
        post: operations["postProjectsProjectRequestsReleaseApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests/{release}/levels/{level}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The report of a level that waits, as a page in a sandbox */
        get: operations["getProjectsProjectRequestsReleaseLevelsLevelReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests/{release}/levels/{level}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rows of a level that waits */
        get: operations["getProjectsProjectRequestsReleaseLevelsLevelRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests/{release}/refusal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refuses a release */
        post: operations["postProjectsProjectRequestsReleaseRefusal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests/{release}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs a request again whose run has failed */
        post: operations["postProjectsProjectRequestsReleaseRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/requests/{release}/withdrawal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a request back */
        post: operations["postProjectsProjectRequestsReleaseWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What every release of the project must keep */
        get: operations["getProjectsProjectRules"];
        /** Tightens rules at once, or asks a second person to loosen them */
        put: operations["putProjectsProjectRules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Names of the keys of a project, which policies name as `secret:NAME` */
        get: operations["getProjectsProjectSecrets"];
        put?: never;
        /** Makes a key, which nobody will see */
        post: operations["postProjectsProjectSecrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Streams of a project */
        get: operations["getProjectsProjectStreams"];
        put?: never;
        /** Defines a stream, which waits for approval */
        post: operations["postProjectsProjectStreams"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A stream, and what it is doing */
        get: operations["getProjectsProjectStreamsStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Gives a stopped stream another policy or audience, which waits for approval again */
        patch: operations["patchProjectsProjectStreamsStream"];
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approves or refuses a stream, with this policy for this audience */
        post: operations["postProjectsProjectStreamsStreamDecision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where the next event is to be sent to */
        get: operations["getProjectsProjectStreamsStreamEvents"];
        put?: never;
        /** Sends events, a line of JSON each; they are on disk when this answers */
        post: operations["postProjectsProjectStreamsStreamEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures of a stream over time, and what happened to it */
        get: operations["getProjectsProjectStreamsStreamFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rows that were released, in the order in which they left */
        get: operations["getProjectsProjectStreamsStreamRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tokens for the events of a stream; no secret is shown again */
        get: operations["getProjectsProjectStreamsStreamTokens"];
        put?: never;
        /** Makes a token for a program that sends events */
        post: operations["postProjectsProjectStreamsStreamTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a token, at once */
        delete: operations["deleteProjectsProjectStreamsStreamTokensToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/streams/{stream}/wanted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts, stops, restarts or ends a stream */
        post: operations["postProjectsProjectStreamsStreamWanted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Uploads that are under way */
        get: operations["getProjectsProjectUploads"];
        put?: never;
        /** Begins an upload */
        post: operations["postProjectsProjectUploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/uploads/{upload}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far an upload is */
        get: operations["getProjectsProjectUploadsUpload"];
        put?: never;
        post?: never;
        /** Gives an upload up */
        delete: operations["deleteProjectsProjectUploadsUpload"];
        options?: never;
        head?: never;
        /** Takes the bytes from an offset on, up to 8 MiB at a time */
        patch: operations["patchProjectsProjectUploadsUpload"];
        trace?: never;
    };
    "/api/v1/projects/{project}/uploads/{upload}/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a version of a data set of an upload */
        post: operations["postProjectsProjectUploadsUploadFinish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/wishes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a second person */
        get: operations["getProjectsProjectWishes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/wishes/{wish}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Grants or refuses what another person asked for */
        post: operations["postProjectsProjectWishesWishDecision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the own session is waiting for */
        get: operations["getSession"];
        put?: never;
        /** Signs in by name and password */
        post: operations["postSession"];
        /** Signs out */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Shows the second factor, at sign-in and when it is asked for again */
        post: operations["postSessionFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Locks the own session */
        post: operations["postSessionLock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unlocks it by the password */
        post: operations["postSessionUnlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the server was set up; settings are changed in their file */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins as an administrator, by a link that the program has printed */
        post: operations["postSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the server is doing */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All users */
        get: operations["getUsers"];
        put?: never;
        /** Invites somebody; gives the link to hand over */
        post: operations["postUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A user */
        get: operations["getUsersUser"];
        put?: never;
        post?: never;
        /** Deletes a user; what they did stays in the log under their number */
        delete: operations["deleteUsersUser"];
        options?: never;
        head?: never;
        /** Changes a user; another administrator or auditor waits for a second person */
        patch: operations["patchUsersUser"];
        trace?: never;
    };
    "/api/v1/users/{user}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disables a user, at once */
        post: operations["postUsersUserDisable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets a user sign in again */
        post: operations["postUsersUserEnable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user}/factor-removal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes the second factor of a user away, or asks a second person to */
        post: operations["postUsersUserFactorRemoval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a link by which a user chooses a password */
        post: operations["postUsersUserLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends all sessions of a user */
        delete: operations["deleteUsersUserSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/wishes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What of accounts waits for a second person */
        get: operations["getWishes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/wishes/{wish}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Grants or refuses what another administrator asked for */
        post: operations["postWishesWishDecision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Which data and which policy a job is about. */
        About: {
            /** @description The version of the data. */
            data: components["schemas"]["Id"];
            /** @description The version of the policy; without, its text stands in `text`. */
            policy?: components["schemas"]["Id"] | null;
            /** @description The text of a policy that is not saved. */
            text?: string | null;
        };
        /** @description An approval. */
        Approval: {
            /** @description The hash of the manifest that was reviewed. */
            manifest: string;
            /** @description Why, where something is to be said. */
            reason?: string | null;
        };
        /** @description What has become of it. */
        Asked: {
            /** @description The release. */
            id: components["schemas"]["Id"];
            /** @description Its job. */
            job: components["schemas"]["Id"];
            /** @description The head of the log after the request, to be kept elsewhere. */
            receipt: string;
            /** @description How far it is. */
            state: components["schemas"]["State2"];
        };
        /** @description A point and its time. */
        At: {
            /**
             * Format: int64
             * @description The end of its ten seconds.
             */
            at: number;
            /** @description The figures. */
            figures: components["schemas"]["Point"];
        };
        /** @description Attacks on what a policy would release. */
        Attack: {
            /**
             * Format: uint32
             * @description Records that are attacked one by one.
             * @default 500
             */
            attacks: number;
            /**
             * Format: double
             * @description A relative error below this is a breach.
             * @default 0.2
             */
            epsilon: number;
            /**
             * Format: uint32
             * @description Records that the attacker knows.
             * @default 4
             */
            known: number;
            /**
             * Format: uint64
             * @description Chooses records and starts.
             * @default 1
             */
            seed: number;
        };
        /** @description Who gets a level. */
        Audience: {
            /**
             * Format: uint32
             * @description The level.
             */
            level: number;
            /**
             * Format: int64
             * @description How many members may read it.
             */
            people: number;
        };
        /** @description A copy of the store. */
        Backup: {
            /**
             * Format: uint64
             * @description How many bytes it has.
             */
            bytes: number;
            /**
             * Format: int64
             * @description When it was begun.
             */
            made_at: number;
            /** @description Its name in the folder `backups` of the data folder. */
            name: string;
        };
        /** @description Files and a command. */
        Bundle: {
            /** @description The command to run there. */
            command: string;
            /** @description The files to put into one folder. */
            files: components["schemas"]["File"][];
            /** @description What is needed besides, such as the data and keys: these are not given away. */
            needs: string[];
        };
        /** @description Everything that can be chosen. */
        Catalogue: {
            attacks: components["schemas"]["Choice"][];
            learners: components["schemas"]["Choice"][];
            measures: components["schemas"]["Choice"][];
            methods: components["schemas"]["Choice"][];
        };
        Changed: {
            /**
             * Format: int64
             * @description Idle minutes after which sessions lock: 1 up to the most that an administrator has set.
             */
            idle_minutes?: number | null;
            /** @description What pages remember, instead of what they did. */
            preferences?: {
                [key: string]: unknown;
            } | null;
        };
        Changed2: {
            /** @description Whether they administer the server. */
            admin?: boolean | null;
            /** @description Whether they audit everything. */
            auditor?: boolean | null;
            /**
             * Format: int64
             * @description The most idle minutes that they may choose.
             */
            idle_minutes?: number | null;
            /** @description Another name. */
            name?: components["schemas"]["Name"] | null;
            /** @description Why; of who becomes an administrator or an auditor. */
            reason?: string | null;
        };
        /** @description What changed since an earlier release. */
        Changed3: {
            /** @description Whether it was made from another version of the data. */
            data: boolean;
            /** @description Columns that it released and this does not. */
            gone_columns: string[];
            /** @description Levels that it was for and this is not. */
            gone_levels: number[];
            /** @description Its name. */
            name: string;
            /** @description Columns that it did not release. */
            new_columns: string[];
            /** @description Levels that it was not for. */
            new_levels: number[];
            /** @description The policies side by side; empty where they are the same. */
            policy: components["schemas"]["Line"][];
            /** @description The earlier release. */
            since: components["schemas"]["Id"];
            /** @description Columns that are treated in another way: name, before, after. */
            treatments: [
                string,
                string,
                string
            ][];
        };
        /** @description What changes of a project. */
        ChangedProject: {
            /** @description Another name. */
            name?: components["schemas"]["Name"] | null;
            /** @description `open` or `closed`; in a closed one nothing new begins. */
            state?: components["schemas"]["ProjectState"] | null;
        };
        /** @description What changes of a stream. */
        ChangedStream: {
            /**
             * Format: int64
             * @description Another level.
             */
            level?: number | null;
            /** @description Another version of a policy. */
            policy_version?: components["schemas"]["Id"] | null;
        };
        /** @description A charge as it stands in the ledger. */
        Charged: {
            /**
             * Format: int64
             * @description When.
             */
            at: number;
            /**
             * Format: int64
             * @description The ε in billionths.
             */
            epsilon_nano: number;
            /** @description The job. */
            job: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description Its place, from 1.
             */
            number: number;
            /** @description The release that the job made. */
            release?: components["schemas"]["Id"] | null;
        };
        /** @description A policy that can be used. */
        Checked: {
            /** @description The columns that it says something of. */
            columns: components["schemas"]["Column"][];
            /** @description The hierarchies that it names. */
            hierarchies: string[];
            /** @description The levels that it releases, finest first; none of a policy without. */
            levels: string[];
        };
        /** @description Something that can be chosen. */
        Choice: {
            /** @description What it is, in a sentence. */
            about: string;
            /** @description Of a method, what it works on; of a measure, what it measures. */
            family?: string | null;
            /** @description What a policy calls it. */
            name: string;
            /** @description What can be set. */
            parameters: components["schemas"]["Setting"][];
        };
        Code: {
            /** @description Six digits of the authenticator, or a recovery code. */
            code: components["schemas"]["Typed"];
        };
        /** @description A column of a policy. */
        Column: {
            /** @description Its name. */
            name: string;
            /** @description Its role. */
            role: string;
        };
        /** @description A column. */
        Column2: {
            /**
             * Format: double
             * @description What its cells have lost, from 0 to 1.
             */
            loss?: number | null;
            /** @description Its name. */
            name: string;
            /** @description Its role. */
            role: string;
            /** @description What was done to it. */
            treatment: string;
        };
        /** @description A second factor that was set up. */
        Confirmed: {
            /** @description Codes for the case that the authenticator is lost; each counts once. They are shown this once. */
            recovery: string[];
            /** @description The session, which has a new token. */
            session: components["schemas"]["Current"];
        };
        /** @description A count. */
        Count: {
            /**
             * Format: uint64
             * @description How many do.
             */
            rows: number;
            /** @description What the rows show. */
            shows: (string | null)[];
        };
        /** @description Counts of rows. */
        Counts: {
            /** @description The columns that were counted by. */
            by: string[];
            /** @description What rows show in them, and how many do. */
            items: components["schemas"]["Count"][];
            /**
             * Format: uint64
             * @description Rows that were counted.
             */
            total: number;
        };
        /** @description A session as its own page sees it. */
        Current: {
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at: number;
            /**
             * Format: int64
             * @description When the second factor was last shown in it.
             */
            factor_at?: number | null;
            /**
             * Format: int64
             * @description When it locks unless its person is active.
             */
            locks_at: number;
            /** @description Their name. */
            name?: string | null;
            /**
             * @description What it is waiting for: `full` for nothing, `waiting` for the second factor, `locked` for the
             *     password, `factor-needed` for a second factor to be set up.
             */
            state: string;
            /** @description What unsafe requests send in `X-Moretta-Token`. */
            token: string;
            /** @description Who. */
            user: components["schemas"]["Id"];
        };
        /** @description A data set. */
        DataSet: {
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description The columns that name persons: what they hold lies in the vault. */
            identifiers: string[];
            /** @description Its last version that was not deleted. */
            last?: components["schemas"]["DataVersion"] | null;
            /**
             * Format: int64
             * @description When it was made.
             */
            made_at: number;
            /** @description Who made it. */
            made_by: components["schemas"]["Id"];
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description The version, which an edit names.
             */
            version: number;
        };
        /** @description A version of a data set. */
        DataVersion: {
            /**
             * Format: int64
             * @description How many bytes it has.
             */
            bytes: number;
            /** @description Its data set. */
            dataset: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it is deleted.
             */
            delete_after?: number | null;
            /**
             * Format: int64
             * @description When it was deleted.
             */
            deleted_at?: number | null;
            /** @description What who sent it called the file. */
            file_name: string;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description Its place among the versions of the data set, from 1.
             */
            number: number;
            /** @description The name that the library has for it; its ending tells the format. */
            place: string;
            /** @description The job that looked at its columns. */
            profile_job?: components["schemas"]["Id"] | null;
            /** @description Their SHA-256. */
            sha256: string;
            /**
             * Format: int64
             * @description When.
             */
            uploaded_at: number;
            /** @description Who uploaded it. */
            uploaded_by: components["schemas"]["Id"];
        };
        /** @description What has become of it. */
        Decided: {
            /** @description Whether it says "approved by its author". */
            by_author: boolean;
            /** @description The hash of what was decided on. */
            manifest: string;
            /** @description The head of the log after the decision, to be kept elsewhere. */
            receipt: string;
            /** @description How far it is. */
            state: components["schemas"]["State2"];
        };
        Decision: {
            /** @description Whether it is granted. */
            grant: boolean;
        };
        /** @description A decision. */
        Decision2: {
            /** @description Whether it is granted. */
            grant: boolean;
        };
        /** @description A decision. */
        Decision3: {
            /** @description Whether it is granted. */
            grant: boolean;
        };
        /** @description A decision. */
        Decision4: {
            /**
             * Format: int64
             * @description When.
             */
            at: number;
            /** @description Who. */
            by: components["schemas"]["Id"];
            /** @description `approved`, `refused` or `revoked`. */
            decision: string;
            /** @description The hash of what was decided on. */
            manifest: string;
            /** @description Why. */
            reason: string;
        };
        /** @description A decision. */
        Decision5: {
            /** @description Whether it is approved. */
            approve: boolean;
            /** @description Why. */
            reason: string;
        };
        /** @description The columns that name persons. */
        Declared: {
            /** @description All of them: those of before, which cannot be taken back, and more. */
            identifiers: string[];
        };
        /** @description The body of a problem. */
        Details: {
            /** @description One word for programs. */
            code: string;
            /** @description What to do about it. */
            help?: string | null;
            /** @description The id of the request, as it stands in the log of the server. */
            instance: string;
            /** @description The place in a text that was sent. */
            place?: components["schemas"]["Place"] | null;
            /**
             * Format: uint16
             * @description The HTTP status.
             */
            status: number;
            /** @description What is wrong. */
            title: string;
            /** @description What kind of problem it is. */
            type: string;
        };
        /** @description What is new since the version before. */
        Difference: {
            /** @description Columns that it does not have. */
            added: string[];
            /** @description Columns whose rounded figures are others. */
            changed: string[];
            /** @description Columns that only it has. */
            removed: string[];
            /**
             * Format: int64
             * @description The number of the version before.
             */
            since: number;
        };
        /** @description A draft. */
        Draft: {
            /** @description What it holds; pages alone know what it means. */
            content: unknown;
        };
        /** @description A policy that is to be checked. */
        Draft2: {
            /** @description Its text. */
            content: string;
            /**
             * @description The version of the data that it is for; without, a table of CSV is assumed.
             * @default null
             */
            data: components["schemas"]["Id"] | null;
        };
        /** @description A new version of a text. */
        Edit: {
            /** @description What it holds. */
            content: string;
        };
        /** @description How many sessions were ended. */
        Ended: {
            /**
             * Format: uint64
             * @description Their number.
             */
            sessions: number;
        };
        /** @description A release of a data set. */
        Entered: {
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description The levels that got it. */
            levels: number[];
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description When it was published.
             */
            published_at?: number | null;
            /** @description How far it is. */
            state: components["schemas"]["State2"];
        };
        Entering: {
            /** @description The secret of the link. */
            link: components["schemas"]["Typed"];
        };
        /** @description What something is. */
        Explained: {
            /** @description `method`, `measure`, `attack` or `learner`. */
            kind: string;
            /** @description Its name. */
            name: string;
            /** @description All that is to be known, as text with simple marks. */
            page: string;
            /** @description What can be set. */
            parameters: components["schemas"]["Setting"][];
        };
        /** @description Methods and values of k, tried one after the other. */
        Explore: {
            /**
             * @description Values of k; none for that of the policy.
             * @default []
             */
            k: number[];
            /**
             * @description The measure of loss by which they are judged.
             * @default gcp
             */
            loss: string;
            /**
             * @description The measure of risk by which settings are judged.
             * @default marketer_risk
             */
            risk: string;
        };
        /** @description What is told of a level. */
        Facts: {
            /** @description What attackers find. */
            attacks: components["schemas"]["Share"][];
            /** @description The columns: role, treatment, loss. */
            columns: components["schemas"]["Column2"][];
            /**
             * Format: uint32
             * @description The level.
             */
            level: number;
            /** @description What was lost, by measure. */
            losses: components["schemas"]["Share"][];
            /** @description What the policy calls it. */
            name: string;
            /** @description What was promised, and whether it holds. */
            promises: components["schemas"]["Promise"][];
            /**
             * Format: uint64
             * @description Released rows.
             */
            rows: number;
            /** @description Columns that single persons out together, in percent of released rows. */
            singled_out: components["schemas"]["Together"][];
            /**
             * Format: uint64
             * @description The smallest class: what was promised, or more in steps of 5 from 15 on; none without
             *     classes.
             */
            smallest_class?: number | null;
            /** @description Rows that were suppressed, by reason, at most. */
            suppressed: components["schemas"]["Reason"][];
            /** @description Whether every released value is true of its original; none where that cannot be said. */
            truthful?: boolean | null;
            /** @description What should be known, the worst first. */
            warnings: string[];
        };
        /** @description A file. */
        File: {
            /** @description What it holds. */
            content: string;
            /** @description Its name. */
            name: string;
        };
        /** @description A finer level for oneself. */
        Finer: {
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at: number;
            /**
             * Format: int64
             * @description The level.
             */
            level: number;
            /** @description What for. */
            reason: string;
        };
        /** @description What an upload becomes. */
        Finish: {
            /** @description The data set of which it is a version. */
            into: components["schemas"]["Target"];
            /** @description The SHA-256 of the whole file, to be compared with what has arrived. */
            sha256?: string | null;
        };
        First: {
            /** @description A code of the new second factor. */
            code: components["schemas"]["Typed"];
        };
        /** @description What was found. */
        Found: {
            /** @description The column. */
            column: string;
            /** @description The value that the pseudonym stands for. */
            value: string;
        };
        /** @description A link to hand over. It is shown this once. */
        Handed: {
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at: number;
            /** @description The secret, which stands in the fragment of the address: `/#link=…`. */
            link: string;
            /** @description Whose it is. */
            user: components["schemas"]["Id"];
            /**
             * @description The wish that a second person has to grant: of an invitation, before they audit; else before
             *     the link can be used.
             */
            wish?: components["schemas"]["Id"] | null;
        };
        Health: {
            /** @description `well`, if there is an answer at all. */
            state: string;
            /** @description The version of the program. */
            version: string;
        };
        Id: string;
        Invitation: {
            /**
             * @description Whether they are to audit everything, which a second person grants once they have signed in.
             * @default false
             */
            auditor: boolean;
            /**
             * Format: int64
             * @description The most idle minutes that they may choose, 1 to 30; 10 without.
             */
            idle_minutes?: number | null;
            /** @description The name of the account, which no other one has. */
            name: components["schemas"]["Name"];
        };
        /** @description A job as it is shown. */
        Job: {
            /**
             * Format: int64
             * @description How often it was begun.
             */
            attempts: number;
            /**
             * Format: int64
             * @description When it was last begun.
             */
            begun_at?: number | null;
            /**
             * Format: int64
             * @description When it ended.
             */
            ended_at?: number | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description What it does. */
            kind: components["schemas"]["Kind2"];
            /**
             * Format: int64
             * @description When it was wanted.
             */
            made_at: number;
            /** @description Why it failed. */
            problem?: unknown;
            /** @description Stage, rows and share, while it runs. */
            progress?: unknown;
            /** @description What it found, also before the end; not in lists. */
            result?: unknown;
            /** @description How far it is. */
            state: components["schemas"]["State"];
            /** @description Who wanted it. */
            user: components["schemas"]["Id"];
        };
        /** @description What a link is for. */
        Kind: "setup" | "second" | "invitation" | "reset";
        /** @description What a job does. */
        Kind2: "profile" | "preview" | "plan" | "explore" | "tune" | "learn" | "attack" | "verify" | "release";
        /** @description Learners on original and protected rows. */
        Learn: {
            /**
             * @description The column to predict; without, the one with the role class.
             * @default null
             */
            class: string | null;
            /**
             * @description The learners, as `nb` or `arf(trees=50)`.
             * @default [
             *       "nb",
             *       "ht"
             *     ]
             */
            learners: string[];
            /**
             * Format: uint64
             * @description For learners that draw random numbers.
             * @default 1
             */
            seed: number;
            /**
             * Format: uint64
             * @description First results that no figure counts, rounded up to a hundred.
             * @default 0
             */
            warm_up: number;
            /**
             * Format: uint64
             * @description Results that the curves are drawn over: 200 at least, rounded up to a hundred.
             * @default 1000
             */
            window: number;
        };
        /** @description The ledger of a data set. */
        Ledger: {
            /** @description What jobs were charged, the oldest first. */
            charges: components["schemas"]["Charged"][];
            /**
             * Format: int64
             * @description How many releases are entered with their classes.
             */
            classes: number;
            /**
             * Format: double
             * @description ε that was charged within a year.
             */
            epsilon: number;
            /**
             * Format: double
             * @description ε that the rules allow in a year.
             */
            epsilon_a_year?: number | null;
            /** @description The sum of the last charge, with which a cut end is seen. */
            head: string;
            /** @description Whether each charge follows from the one before. */
            holds: boolean;
            /** @description The releases of the data set, the oldest first. */
            releases: components["schemas"]["Entered"][];
        };
        /** @description A level of a release. */
        Level: {
            /**
             * Format: uint32
             * @description Its number.
             */
            level: number;
            /** @description Its name. */
            name: string;
            /**
             * Format: uint64
             * @description Its rows.
             */
            rows: number;
        };
        /** @description What may not be exceeded. */
        Limits: {
            /**
             * Format: uint64
             * @description Seconds that the body of a request may take, and a piece of a response.
             * @default 120
             */
            "body-seconds": number;
            /**
             * @description Calls a second of one session, and how many may come at once.
             * @default [
             *       20,
             *       100
             *     ]
             */
            calls: [
                number,
                number
            ];
            /**
             * Format: uint
             * @description Connections of one address.
             * @default 64
             */
            connections: number;
            /**
             * Format: uint64
             * @description Bytes of an uploaded file.
             * @default 5368709120
             */
            "file-bytes": number;
            /**
             * Format: uint64
             * @description Seconds that a peer may take for its handshake, and for the head of a request.
             * @default 10
             */
            "head-seconds": number;
            /**
             * Format: uint64
             * @description Bytes of memory of all jobs together; by default 60 % of the machine.
             * @default null
             */
            memory: number | null;
            /**
             * Format: uint32
             * @description Previews of a project in a day.
             * @default 2000
             */
            previews: number;
            /**
             * Format: uint64
             * @description Bytes of all files of a project.
             * @default 53687091200
             */
            "project-bytes": number;
            /**
             * Format: uint64
             * @description Bytes of the disk that are kept free.
             * @default 67108864
             */
            "reserve-bytes": number;
            /**
             * Format: uint64
             * @description Bytes that an uploaded file may unpack to.
             * @default 21474836480
             */
            "unpacked-bytes": number;
        };
        /** @description A line of two texts laid side by side. */
        Line: {
            /** @constant */
            change: "same";
            line: string;
        } | {
            /** @constant */
            change: "gone";
            line: string;
        } | {
            /** @constant */
            change: "new";
            line: string;
        };
        /** @description A session of somebody. */
        Listed: {
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at: number;
            /** @description Its id, which is no secret. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it began.
             */
            made_at: number;
            /** @description Whether it is the one that asks. */
            own: boolean;
            /**
             * Format: int64
             * @description When its person was last active.
             */
            seen_at: number;
        };
        /** @description A file. */
        Listed10: {
            /**
             * Format: uint64
             * @description Its bytes.
             */
            bytes: number;
            /** @description What it is called. */
            name: string;
            /** @description What it is. */
            part: components["schemas"]["Part"];
            /** @description Their SHA-256. */
            sha256: string;
        };
        /** @description A token as its owner sees it; nobody sees its secret again. */
        Listed2: {
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at: number;
            /** @description Its id, which is no secret. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it was made.
             */
            made_at: number;
            /** @description What its owner calls it. */
            name: string;
            /** @description What it may do: names of rights or of their areas. */
            scope: string[];
            /** @description The stream that it is for; none of a person's. */
            stream?: components["schemas"]["Id"] | null;
        };
        /** @description A draft of a list. */
        Listed3: {
            /**
             * Format: int64
             * @description When it was kept.
             */
            at: number;
            /** @description What it is called. */
            name: string;
        };
        /** @description A user. */
        Listed4: {
            /** @description Whether they administer the server. */
            admin: boolean;
            /** @description Whether they audit everything. */
            auditor: boolean;
            /** @description Whether they have a second factor. */
            has_factor: boolean;
            /** @description Their id. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description The most idle minutes that they may choose.
             */
            idle_minutes: number;
            /**
             * Format: int64
             * @description When they were invited.
             */
            made_at: number;
            /** @description Who invited them. */
            made_by?: components["schemas"]["Id"] | null;
            /** @description Their name; none of a deleted one. */
            name?: string | null;
            /**
             * Format: int64
             * @description Their number in the log.
             */
            number: number;
            /** @description `invited`, `active`, `disabled` or `deleted`. */
            state: string;
            /**
             * Format: int64
             * @description The version, which an edit names.
             */
            version: number;
        };
        /** @description A member of a project. */
        Listed5: {
            /** @description Who asked for it. */
            asked_by: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it began.
             */
            at: number;
            /** @description Who confirmed it; who asked where no second person was needed. */
            confirmed_by: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When the membership ends.
             */
            ends_at?: number | null;
            /**
             * Format: int64
             * @description The finest level that they may read.
             */
            level?: number | null;
            /** @description Their name. */
            name?: string | null;
            /** @description Their role. */
            role: components["schemas"]["Role"];
            /** @description Who. */
            user: components["schemas"]["Id"];
        };
        /** @description A text and its last version, as lists show it. */
        Listed6: {
            /**
             * Format: int64
             * @description When.
             */
            at: number;
            /** @description Who wrote that. */
            author: components["schemas"]["Id"];
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description The number of its last version.
             */
            number: number;
        };
        /** @description A key of a project, without the key. */
        Listed7: {
            /**
             * Format: int64
             * @description When it was made.
             */
            made_at: number;
            /** @description Who had it made. */
            made_by: components["schemas"]["Id"];
            /** @description Its name. */
            name: string;
        };
        /** @description A release that was asked for. */
        Listed8: {
            /**
             * Format: int64
             * @description When.
             */
            asked_at: number;
            /** @description Who asked. */
            asked_by: components["schemas"]["Id"];
            /** @description Whether it says "approved by its author". */
            by_author: boolean;
            /** @description The version of the data. */
            data: components["schemas"]["Id"];
            /** @description The data set. */
            dataset: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it was decided against, or ended.
             */
            ended_at?: number | null;
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at?: number | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description The job that makes it. */
            job?: components["schemas"]["Id"] | null;
            /** @description The levels that get it. */
            levels: number[];
            /** @description Its name. */
            name: string;
            /** @description The version of the policy. */
            policy: components["schemas"]["Id"];
            /** @description Why its run failed. */
            problem?: unknown;
            /**
             * Format: int64
             * @description When it was published.
             */
            published_at?: number | null;
            /** @description What it is for. */
            purpose: string;
            /** @description How far it is. */
            state: components["schemas"]["State2"];
        };
        /** @description A release, to who may read some level of it. */
        Listed9: {
            /** @description Whether its author has approved it: "approved by its author". */
            by_author: boolean;
            /** @description The data set. */
            dataset: string;
            /**
             * Format: int64
             * @description When it was taken back, or ended.
             */
            ended_at?: number | null;
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at?: number | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description The levels that who asks may read. */
            levels: components["schemas"]["Level"][];
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description The number of the version of the data.
             */
            number: number;
            /**
             * Format: int64
             * @description When it was published.
             */
            published_at?: number | null;
            /** @description What it is for. */
            purpose: string;
            /** @description `published`; officers, stewards and auditors also see what was `revoked` or is `expired`. */
            state: components["schemas"]["State2"];
        };
        /** @description What is looked for. */
        Look: {
            /** @description The pseudonym. */
            pseudonym: string;
            /** @description What it is needed for; it stands in the log. */
            purpose: string;
        };
        Looked: {
            /** @description The secret of the link. */
            link: components["schemas"]["Typed"];
        };
        /** @description A copy that was just made. */
        Made: {
            /**
             * Format: uint64
             * @description How many bytes it has.
             */
            bytes: number;
            /**
             * Format: int64
             * @description When it was begun.
             */
            made_at: number;
            /** @description Its name in the folder `backups` of the data folder. */
            name: string;
            /** @description The head of the log in it at least, to be kept elsewhere and given as `--seen` at a restore. */
            receipt: string;
        };
        /** @description A token that was made. */
        Made2: {
            /** @description Its id, which is no secret. */
            id: components["schemas"]["Id"];
            /** @description What a program sends as `Authorization: Bearer …`. It is shown this once. */
            secret: string;
        };
        /** @description A token that was made. */
        Made3: {
            /** @description Its id, which is no secret. */
            id: components["schemas"]["Id"];
            /** @description What its program sends as `Authorization: Bearer`; shown this once. */
            token: string;
        };
        /** @description What happened to a stream. */
        Mark: {
            /**
             * Format: int64
             * @description When.
             */
            at: number;
            /** @description `start`, `stop`, `restart`, `finish`, `failed`, or `killed` when its process was killed. */
            what: string;
        };
        /** @description Who is signed in. */
        Me: {
            /** @description Whether they administer the server. */
            admin: boolean;
            /** @description Whether they audit everything. */
            auditor: boolean;
            /** @description Whether they have a second factor. */
            has_factor: boolean;
            /** @description Their id. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description Idle minutes after which their sessions lock.
             */
            idle_minutes: number;
            /**
             * Format: int64
             * @description The most that they may choose.
             */
            most_idle_minutes: number;
            /** @description Their name. */
            name?: string | null;
            /** @description Whether they must have one. */
            needs_factor: boolean;
            /**
             * Format: int64
             * @description Their number in the log.
             */
            number: number;
            /** @description What pages remember of them. */
            preferences: {
                [key: string]: unknown;
            };
            /** @description The projects of which they are a member. */
            projects: components["schemas"]["Membership"][];
            /**
             * Format: int64
             * @description How many recovery codes are left.
             */
            recovery_codes: number;
            /** @description What they may do outside of projects: names of rights, from which a menu is made. */
            rights: string[];
            /**
             * Format: int64
             * @description The version, which an edit names.
             */
            version: number;
        };
        /** @description What somebody is in a project. */
        Membership: {
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at?: number | null;
            /**
             * Format: int64
             * @description The finest level that may be read.
             */
            level?: number | null;
            /** @description Its name. */
            name: string;
            /** @description The project. */
            project: components["schemas"]["Id"];
            /** @description What the role may do: names of rights, from which a menu is made. */
            rights: string[];
            /** @description The role. */
            role: components["schemas"]["Role"];
        };
        /** @description What somebody is to be in a project. */
        Membership2: {
            /**
             * Format: int64
             * @description When it ends; at most 90 days from now with level 1.
             */
            ends_at?: number | null;
            /**
             * Format: int64
             * @description The finest level: of analysts 1 and up, of stewards 1 or none.
             */
            level?: number | null;
            /** @description Why. */
            reason: string;
            /** @description As what. */
            role: components["schemas"]["Role"];
            /** @description Who. */
            user: components["schemas"]["Id"];
        };
        Name: string;
        NewPassword: {
            /** @description The password from now on. */
            new: components["schemas"]["Typed"];
            /** @description The password so far. */
            password: components["schemas"]["Typed"];
        };
        /** @description A new project. */
        NewProject: {
            /** @description Its name, which no other one has. */
            name: components["schemas"]["Name"];
        };
        /** @description A new key. */
        NewSecret: {
            /** @description Its name, of letters, digits, `-` and `_`. */
            name: components["schemas"]["Name"];
        };
        /** @description A new stream. */
        NewStream: {
            /**
             * Format: int64
             * @description The level of what it releases: 2 and up.
             */
            level: number;
            /** @description Its name, which no other one of the project has. */
            name: components["schemas"]["Name"];
            /** @description The version of the policy by which rows are released. */
            policy_version: components["schemas"]["Id"];
        };
        /** @description A new text. */
        NewText: {
            /** @description What it holds. */
            content: string;
            /** @description Its name; hierarchies are named so in policies. */
            name: components["schemas"]["Name"];
        };
        NewToken: {
            /**
             * Format: int64
             * @description When it ends; in 90 days at most.
             */
            ends_at: number;
            /** @description What its owner calls it. */
            name: components["schemas"]["Name"];
            /** @description What it may do: names of rights or of their areas. */
            scope: string[];
        };
        /** @description A new token. */
        NewToken2: {
            /**
             * Format: int64
             * @description When it ends; at most 90 days from now.
             */
            ends_at: number;
            /** @description What its program is called. */
            name: components["schemas"]["Name"];
        };
        /** @description A new upload. */
        NewUpload: {
            /**
             * Format: uint64
             * @description How many bytes it has, where that is known.
             */
            bytes?: number | null;
            /** @description The name of the file, whose ending tells its format. It is shown, and never a path. */
            name: components["schemas"]["Name"];
        };
        /**
         * @description What is told to who reads a level. Its text has its keys in this order and no spaces, and its
         *     SHA-256 stands in the log beside the approval.
         */
        OfLevel: {
            /** Format: int64 */
            ends_at?: number | null;
            /** @description The files. */
            files: components["schemas"]["Listed10"][];
            format: string;
            /** Format: uint32 */
            level: number;
            level_name: string;
            name: string;
            policy_sha256: string;
            purpose: string;
            release: components["schemas"]["Id"];
            /** Format: uint64 */
            rows: number;
        };
        /** @description What has become of a change. */
        Outcome: {
            /** @description The user as they are now. */
            user: components["schemas"]["Listed4"];
            /** @description The wish that waits for a second person: that the user administers the server, or audits it. */
            wish?: components["schemas"]["Id"] | null;
        };
        /** @description What has become of a request for a membership. */
        Outcome2: {
            /** @description `granted`, or `waiting` for a second person. */
            state: string;
            /** @description The wish that waits. */
            wish?: components["schemas"]["Id"] | null;
        };
        /** @description What has become of changed rules. */
        Outcome3: {
            /** @description `changed`, or `waiting` for a second person. */
            state: string;
            /** @description The wish that waits. */
            wish?: components["schemas"]["Id"] | null;
        };
        /** @description What has become of a wish to delete. */
        Outcome4: {
            /** @description The head of the log after this, to be kept elsewhere. */
            receipt: string;
            /** @description `deleted`, or `waiting` for a second person. */
            state: string;
            /** @description The wish that waits. */
            wish?: components["schemas"]["Id"] | null;
        };
        /** @description Figures over time. */
        Over: {
            /** @description What happened. */
            marks: components["schemas"]["Mark"][];
            /** @description A point for each ten seconds in which the stream ran, or every so many of them in a long range. */
            points: components["schemas"]["At"][];
        };
        /** @description A page of a list. */
        Page: {
            /** @description What is on it. */
            items: components["schemas"]["Listed4"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page10: {
            /** @description What is on it. */
            items: components["schemas"]["Listed9"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page11: {
            /** @description What is on it. */
            items: components["schemas"]["Stream"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page12: {
            /** @description What is on it. */
            items: components["schemas"]["Readable"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page2: {
            /** @description What is on it. */
            items: components["schemas"]["Project"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page3: {
            /** @description What is on it. */
            items: components["schemas"]["Shown2"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page4: {
            /** @description What is on it. */
            items: components["schemas"]["DataSet"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page5: {
            /** @description What is on it. */
            items: components["schemas"]["DataVersion"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page6: {
            /** @description What is on it. */
            items: components["schemas"]["Listed6"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page7: {
            /** @description What is on it. */
            items: components["schemas"]["TextVersion"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page8: {
            /** @description What is on it. */
            items: components["schemas"]["Job"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description A page of a list. */
        Page9: {
            /** @description What is on it. */
            items: components["schemas"]["Listed8"][];
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
        };
        /** @description What is made for each level. */
        Part: "rows" | "index" | "page" | "report" | "dictionary" | "manifest";
        Password: {
            /** @description The password. */
            password: components["schemas"]["Typed"];
        };
        /** @description A place in a policy or a hierarchy. */
        Place: {
            /**
             * Format: uint64
             * @description The character of the line, counted from 1.
             */
            column: number;
            /**
             * Format: uint64
             * @description The line, counted from 1.
             */
            line: number;
        };
        /** @description What a run would face. */
        Plan: Record<string, never>;
        /** @description Figures of ten seconds. A count from 1 to 10 is not there. */
        Point: {
            /**
             * Format: uint64
             * @description The 99th percentile of the same.
             */
            delay_99?: number | null;
            /**
             * Format: uint64
             * @description Milliseconds from when events were accepted until what became of them was on disk: median.
             */
            delay_median?: number | null;
            /**
             * Format: double
             * @description The share that z is tuned for, where it is.
             * @default null
             */
            goal: number | null;
            /**
             * Format: uint64
             * @description Bytes of events that wait to be taken, rounded up to whole blocks of 4 KiB.
             */
            lag: number;
            /**
             * Format: int64
             * @description Milliseconds that it is about: ten seconds, and what they lasted longer.
             * @default 0
             */
            length: number;
            /**
             * @description Attributes that were released, by the number of rungs climbed in their hierarchy. Where one
             *     count is few, another one is not there either, so that it cannot be found out as what is left.
             * @default []
             */
            levels: (number | null)[];
            /** @description Figures of masked records by name. */
            measures: [
                string,
                number
            ][];
            /**
             * Format: double
             * @description Share of users of the window who are alike, in whole percent: the p_k that a goal is about. It
             *     is not there where few users show anything.
             */
            p?: number | null;
            /**
             * Format: uint64
             * @description Rows that were released.
             */
            released?: number | null;
            /**
             * Format: double
             * @description Share of attributes that were not released, where neither they nor the others are few.
             */
            suppressed?: number | null;
            /**
             * Format: uint64
             * @description Events that were taken.
             */
            taken?: number | null;
            /**
             * Format: double
             * @description Share of users of the window whose released set nobody else has, told as `p` is.
             */
            unique?: number | null;
            /**
             * Format: double
             * @description Share of the window for which the stream has been seen.
             * @default null
             */
            window: number | null;
            /**
             * Format: uint32
             * @description The z in use.
             */
            z?: number | null;
        };
        /** @description A secret for an authenticator; it is shown this once. */
        Prepared: {
            /** @description As an authenticator reads it from a picture. */
            address: string;
            /** @description As it is typed into an authenticator. */
            secret: string;
        };
        /** @description A policy tried on a sample. */
        Preview: {
            /**
             * Format: uint64
             * @description Rows of the sample, at most.
             * @default 50000
             */
            rows: number;
            /**
             * Format: uint64
             * @description Chooses the sample.
             * @default 1
             */
            seed: number;
        };
        /**
         * @description Previews of a project, and what counts like them: profiles, plans, attacks, and each setting that a
         *     search or a comparison of learners tries.
         */
        Previews: {
            /**
             * Format: uint32
             * @description How many may be.
             */
            at_most: number;
            /**
             * Format: int64
             * @description How many were asked for in the last 24 hours.
             */
            made: number;
        };
        /** @description What is known of the columns of a version. */
        Profile: {
            /** @description What is new. */
            difference?: components["schemas"]["Difference"] | null;
            /** @description What it has found. */
            found?: unknown;
            /** @description The job. */
            job?: components["schemas"]["Id"] | null;
            /** @description The state of the job that looks at the columns; none when nobody has asked for it. */
            state?: string | null;
        };
        /** @description The columns of a version of data. */
        Profile2: {
            /** @description The version of the data. */
            data: components["schemas"]["Id"];
        };
        /** @description A project. */
        Project: {
            /**
             * Format: int64
             * @description When the membership ends.
             */
            ends_at?: number | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description The finest level that who asks may read.
             */
            level?: number | null;
            /**
             * Format: int64
             * @description When it was made.
             */
            made_at: number;
            /** @description Its name. */
            name: string;
            /** @description The role of who asks; none of who is no member. */
            role?: components["schemas"]["Role"] | null;
            /** @description `open` or `closed`. */
            state: string;
            /**
             * Format: int64
             * @description The version, which an edit names.
             */
            version: number;
        };
        /** @enum {string} */
        ProjectState: "open" | "closed";
        /** @description A promise. */
        Promise: {
            /** @description Whether it holds. */
            holds: boolean;
            /** @description What it is called. */
            name: string;
            /** @description What was promised. */
            promised: string;
        };
        Proved: {
            /** @description A code of the second factor that there is, or a recovery code; none of who has none. */
            code?: components["schemas"]["Typed"] | null;
            /** @description The password. */
            password: components["schemas"]["Typed"];
        };
        /** @description A job that was put into the queue. */
        Queued: {
            /** @description Its id. */
            id: components["schemas"]["Id"];
        };
        /** @description A stream as readers of its rows see it. */
        Readable: {
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description The level of what it releases.
             */
            level: number;
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description Rows that were released.
             */
            released: number;
            /** @description Whether more rows come now. */
            running: boolean;
        };
        /** @description What somebody was in a project. */
        Reader: {
            /**
             * Format: int64
             * @description Until when.
             */
            ends_at?: number | null;
            /**
             * Format: int64
             * @description The entry of the log that says so.
             */
            entry: number;
            /**
             * Format: int64
             * @description The finest level that they could read.
             */
            level?: number | null;
            /** @description Their role. */
            role: components["schemas"]["Role"];
            /** @description Who. */
            user: components["schemas"]["Id"];
        };
        /** @description Why rows were suppressed. */
        Reason: {
            /**
             * Format: uint64
             * @description At most so many.
             */
            at_most: number;
            /** @description The reason. */
            why: string;
        };
        Redeemed: {
            /** @description The secret of the link. */
            link: components["schemas"]["Typed"];
            /** @description The password from now on. */
            password: components["schemas"]["Typed"];
        };
        /** @description Why not. */
        Refusal: {
            /** @description The reason. */
            reason: string;
        };
        /** @description What has become of it. */
        Removal: {
            /** @description `removed`, or `waiting` for a second person. */
            state: string;
            /** @description The wish that waits. */
            wish?: components["schemas"]["Id"] | null;
        };
        /** @description What is asked for. Any change of it is a new request. */
        Request: {
            /** @description The version of the data. */
            data: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it ends; none for never.
             */
            ends_at?: number | null;
            /** @description Who gets it: the levels that are published, 2 being the first of the policy. */
            levels: number[];
            /** @description What the release is called. */
            name: string;
            /** @description The version of the policy. */
            policy: components["schemas"]["Id"];
            /** @description What it is for. */
            purpose: string;
        };
        /** @description All that an officer needs to know. */
        Review: {
            /**
             * Format: int64
             * @description When.
             */
            asked_at: number;
            /** @description Who asked. */
            asked_by: components["schemas"]["Id"];
            /** @description Who gets it, level by level. */
            audience: components["schemas"]["Audience"][];
            /** @description Who cannot approve it, since they have a hand in it. */
            authors: components["schemas"]["Id"][];
            /** @description The rules that are not kept as they are now. */
            broken: string[];
            /** @description Whether it says "approved by its author". */
            by_author: boolean;
            /** @description What changed since the last release of these data that was approved; none of the first one. */
            changed?: components["schemas"]["Changed3"] | null;
            /** @description The manifest itself. */
            content?: unknown;
            /** @description The version of the data. */
            data: components["schemas"]["Id"];
            /** @description The name of the data set. */
            data_name: string;
            /**
             * Format: int64
             * @description The number of the version.
             */
            data_number: number;
            /** @description The data set. */
            dataset: components["schemas"]["Id"];
            /** @description What was decided. */
            decisions: components["schemas"]["Decision4"][];
            /**
             * Format: int64
             * @description When it was decided against, or ended.
             */
            ended_at?: number | null;
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at?: number | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description The job that makes it. */
            job?: components["schemas"]["Id"] | null;
            /** @description The levels that get it. */
            levels: number[];
            /** @description What was kept and found, level by level. */
            made: components["schemas"]["Facts"][];
            /** @description The hash that an approval names; none before the release is made. */
            manifest?: string | null;
            /** @description Its name. */
            name: string;
            /** @description The version of the policy. */
            policy: components["schemas"]["Id"];
            /** @description Why its run failed. */
            problem?: unknown;
            /**
             * Format: int64
             * @description When it was published.
             */
            published_at?: number | null;
            /** @description What it is for. */
            purpose: string;
            /** @description What else the run has found: `verified`, `attacks` and `ledger`, as the worker tells them. */
            run: unknown;
            /** @description How far it is. */
            state: components["schemas"]["State2"];
            /** @description What all releases of the data give away together. */
            together: components["schemas"]["Together2"];
        };
        /** @description The role of a member of a project. */
        Role: "officer" | "steward" | "analyst" | "operator" | "auditor";
        /** @description A page of raw rows. */
        Rows: {
            /** @description The names of the columns. */
            columns: string[];
            /**
             * Format: uint64
             * @description The number of the first row, counted from 0.
             */
            first: number;
            /** @description Where the next page begins; none at the end. */
            next?: string | null;
            /** @description The cells, row by row; none where one is missing. */
            rows: (string | null)[][];
        };
        /** @description A page of rows. */
        Rows2: {
            /** @description The columns. */
            columns: string[];
            /** @description The rows, cell by cell, in the words of the release; none where a cell is missing. */
            items: (string | null)[][];
            /**
             * Format: uint64
             * @description Where the next page begins; none at the end. A page may be short before that: not all rows are
             *     looked at at once.
             */
            next?: number | null;
            /**
             * Format: uint64
             * @description Rows of the release.
             */
            total: number;
        };
        /** @description A page of released rows. */
        Rows3: {
            /**
             * Format: uint64
             * @description Where the next page begins, also when its rows are still to come.
             */
            next: number;
            /** @description The rows. */
            rows: unknown[];
        };
        /** @description What every release of a project must keep. */
        Rules: {
            /**
             * Format: double
             * @description The largest share of persons that an attack on a release may find; none for no limit.
             * @default null
             */
            attacks_at_most: number | null;
            /**
             * Format: double
             * @description The ε that one data set may spend in a year; none for no limit.
             * @default null
             */
            epsilon_a_year: number | null;
            /**
             * @description The least k of each level, or z of a stream; of a level that is not named, that of the next finer
             *     one, or 5.
             * @default {}
             */
            least_k: {
                [key: string]: number;
            };
            /**
             * @description The methods that may be used; none for all.
             * @default null
             */
            methods: string[] | null;
            /**
             * Format: uint32
             * @description Days after which raw data are deleted; none for never.
             * @default null
             */
            retention_days: number | null;
            /**
             * @description Whether what is made by a policy without any promise, neither k nor z nor ε, may leave.
             * @default false
             */
            unpromised: boolean;
        };
        SetUp: {
            /** @description The secret of the link. */
            link: components["schemas"]["Typed"];
            /** @description The name of the account. */
            name: components["schemas"]["Name"];
            /** @description Its password. */
            password: components["schemas"]["Typed"];
        };
        /** @description Something that can be set. */
        Setting: {
            /** @description What it means. */
            about: string;
            /** @description What it is when it is not set. */
            default: string;
            /** @description What can be set in it. */
            inner: components["schemas"]["Setting"][];
            /** @description Its name. */
            name: string;
            /** @description The values that it can have. */
            values: string;
        };
        /** @description A measure. */
        Share: {
            /**
             * Format: double
             * @description What the policy allows at most.
             */
            limit?: number | null;
            /** @description What it means, in a sentence. */
            meaning: string;
            /** @description What it is called. */
            name: string;
            /** @description Whether it is shown as a percentage. */
            percent: boolean;
            /**
             * Format: double
             * @description Of the release.
             */
            share: number;
        };
        /** @description How the server was set up. No path of its machine is told. */
        Shown: {
            /** @description Whether it is a demonstration. */
            demo: boolean;
            /** @description Whether two persons are needed where one alone could reach data. */
            four_eyes: boolean;
            /** @description The names under which it is asked; none for those of its own machine. */
            hosts: string[];
            /** @description Whether stewards may take files of a folder. */
            inbox: boolean;
            /** @description What may not be exceeded. */
            limits: components["schemas"]["Limits"];
            /** @description Whether browsers reach it over TLS. */
            secure: boolean;
            /** @description `SQLite` or `PostgreSQL`. */
            store: string;
            /** @description The version of the program. */
            version: string;
        };
        /** @description An entry as it is shown. */
        Shown2: {
            /** @description What was done. */
            act: string;
            /**
             * Format: int64
             * @description The number of who did it.
             */
            actor?: number | null;
            /**
             * Format: int64
             * @description When.
             */
            at: number;
            /** @description What else is to be known. */
            facts: {
                [key: string]: string;
            };
            /** @description Their name, while they have an account. */
            name?: string | null;
            /**
             * Format: int64
             * @description Its place.
             */
            number: number;
            /** @description In which project. */
            project?: components["schemas"]["Id"] | null;
            /** @description Whether it was refused. */
            refused: boolean;
            /** @description To what. */
            subject?: components["schemas"]["Id"] | null;
        };
        /** @description A release in full. */
        Shown3: {
            /** @description Whether its author has approved it: "approved by its author". */
            by_author: boolean;
            /** @description How to cite it. */
            cite: string;
            /** @description The data set. */
            dataset: string;
            /**
             * Format: int64
             * @description When it was taken back, or ended.
             */
            ended_at?: number | null;
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at?: number | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description The levels that who asks may read. */
            levels: components["schemas"]["Level"][];
            /** @description What was promised, kept and lost, level by level. */
            made: components["schemas"]["Facts"][];
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description The number of the version of the data.
             */
            number: number;
            /**
             * Format: int64
             * @description When it was published.
             */
            published_at?: number | null;
            /** @description What it is for. */
            purpose: string;
            /** @description Why it was taken back. */
            reason?: string | null;
            /** @description `published`; officers, stewards and auditors also see what was `revoked` or is `expired`. */
            state: components["schemas"]["State2"];
            /** @description How to verify it: the files of each level with their sums. */
            verify: components["schemas"]["Verify2"][];
        };
        SignIn: {
            /** @description The name of the account. */
            name: components["schemas"]["Name"];
            /** @description Its password. */
            password: components["schemas"]["Typed"];
        };
        /** @description How far a job is. */
        State: "waiting" | "running" | "done" | "failed" | "cancelled";
        /** @description How far a release is. */
        State2: "draft" | "running" | "ready" | "approved" | "refused" | "withdrawn" | "published" | "revoked" | "expired";
        /** @description How the server is doing. */
        Status: {
            /**
             * Format: int64
             * @description When the store was last copied.
             */
            backup_at?: number | null;
            /**
             * Format: int64
             * @description Bytes of sealed files.
             */
            bytes: number;
            /**
             * Format: uint64
             * @description Bytes of the disk that are free, where the system tells.
             */
            free_bytes?: number | null;
            /** @description The head of the log. */
            head: string;
            /**
             * Format: int64
             * @description Jobs that run.
             */
            jobs_running: number;
            /**
             * Format: int64
             * @description Jobs that wait.
             */
            jobs_waiting: number;
            /**
             * Format: int64
             * @description Sessions that have not ended.
             */
            sessions: number;
            /**
             * Format: int64
             * @description Streams that run.
             */
            streams_running: number;
            /**
             * Format: int64
             * @description Accounts that may sign in.
             */
            users: number;
        };
        /** @description A stream. */
        Stream: {
            /**
             * Format: int64
             * @description Bytes of events that were accepted, told in blocks of 4 KiB: who reads this again and again does
             *     not see a single event.
             */
            accepted: number;
            /**
             * Format: int64
             * @description When.
             */
            decided_at?: number | null;
            /** @description Who decided. */
            decided_by?: components["schemas"]["Id"] | null;
            /** @description `waiting`, `approved` or `refused`, by an officer. */
            decision: string;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description The level of what it releases: readers of this level and finer ones see it.
             */
            level: number;
            /**
             * Format: int64
             * @description When it was defined.
             */
            made_at: number;
            /** @description By whom. */
            made_by: components["schemas"]["Id"];
            /** @description Its name. */
            name: string;
            /** @description The policy by which rows are released. */
            policy: components["schemas"]["Id"];
            /** @description Its name. */
            policy_name: string;
            /**
             * Format: int64
             * @description The number of that.
             */
            policy_number: number;
            /** @description The version of it. */
            policy_version: components["schemas"]["Id"];
            /** @description Why it has failed. */
            problem?: unknown;
            /** @description Why. */
            reason?: string | null;
            /**
             * Format: int64
             * @description Rows that were released, by all versions, told in tens.
             */
            released: number;
            /**
             * Format: int64
             * @description Since when it runs, over deaths of its process; none of one that does not.
             */
            since?: number | null;
            /** @description What it is: `stopped`, `starting`, `running`, `failed` or `finished`. */
            state: string;
            /**
             * Format: int64
             * @description Events that were taken by this version of the policy, told in tens.
             */
            taken: number;
            /**
             * Format: int64
             * @description The version, which an edit names.
             */
            version: number;
            /** @description What its operators want: `stopped`, `running` or `finished`. */
            wanted: string;
        };
        /** @description What was accepted. */
        Taken: {
            /**
             * Format: uint64
             * @description How many events.
             */
            events: number;
            /**
             * Format: uint64
             * @description The place of the next event.
             */
            next: number;
        };
        /** @description The data set that a file becomes a version of. */
        Target: {
            dataset: components["schemas"]["Id"];
        } | {
            new: {
                /**
                 * @description The columns that name persons, in all versions; what they hold lies in the vault, and
                 *     stands as pseudonyms in the data.
                 */
                identifiers: string[];
                /** @description Its name. */
                name: components["schemas"]["Name"];
            };
        };
        /** @description A version of a text. */
        TextVersion: {
            /**
             * Format: int64
             * @description When.
             */
            at: number;
            /** @description Who wrote it. */
            author: components["schemas"]["Id"];
            /** @description The version that it was made of. */
            based_on?: components["schemas"]["Id"] | null;
            /** @description What it holds; empty in lists. */
            content: string;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description The name of its text. */
            name: string;
            /**
             * Format: int64
             * @description Its place among the versions, from 1.
             */
            number: number;
            /** @description The SHA-256 of what it holds. */
            sha256: string;
            /** @description Its text. */
            text: components["schemas"]["Id"];
            /** @description The versions of the hierarchies that a policy names, by their names. */
            uses: {
                [key: string]: components["schemas"]["Id"];
            };
        };
        /** @description Columns together. */
        Together: {
            /** @description Their names. */
            columns: string[];
            /**
             * Format: double
             * @description How many percent of the released rows they single out, in steps of 1.
             */
            percent: number;
        };
        /** @description What all releases of the data give away together. */
        Together2: {
            /**
             * Format: int64
             * @description Earlier releases of these data that were published, also those that were taken back: what was
             *     seen cannot be unseen.
             */
            earlier: number;
            /**
             * Format: double
             * @description ε that was charged within a year, this one included.
             */
            epsilon: number;
            /**
             * Format: double
             * @description ε that the rules allow in a year.
             */
            epsilon_a_year?: number | null;
            /**
             * @description Whether this one was held against the classes of earlier ones. Where it was, nobody is in a
             *     smaller cell than was promised; the run fails otherwise.
             */
            held: boolean;
            /** @description Whether another one was published since, so that this one has to be made again. */
            overtaken: boolean;
        };
        /** @description What a link is for. */
        Told: {
            /**
             * Format: int64
             * @description When it ends.
             */
            ends_at: number;
            /** @description What kind it is. */
            kind: components["schemas"]["Kind"];
            /** @description The name of the account that it is for. */
            name?: string | null;
        };
        /** @description What reading the log again has found. */
        Told2: {
            /**
             * Format: int64
             * @description The place of the first entry that does not hold.
             */
            fault?: number | null;
            /** @description Its sum. */
            hash: string;
            /** @description Whether all of it is as it was written. */
            holds: boolean;
            /**
             * Format: int64
             * @description The last entry that holds.
             */
            number: number;
            /** @description What is wrong with it. */
            what?: string | null;
        };
        /** @description One number of a policy, tuned for goals. */
        Tune: {
            /** @description Its smallest and its greatest value. */
            between: number[];
            /**
             * Format: uint32
             * @description Values that are tried between the best of these and the next.
             * @default 6
             */
            bisections: number;
            /**
             * Format: uint32
             * @description Releases whose mean is measured, where a method draws by chance.
             * @default 1
             */
            draws: number;
            /** @description Measures, and what each may be at most. */
            goals: [
                string,
                number
            ][];
            /** @description The number, as `k` or `noise.amount`. */
            parameter: string;
            /**
             * Format: uint64
             * @description For random numbers, where the policy has no seed.
             * @default 1
             */
            seed: number;
            /**
             * Format: uint32
             * @description Values that are tried first, from end to end.
             * @default 7
             */
            steps: number;
        };
        /** @description A password, a code or the secret of a link as somebody sent it. It is never shown again. */
        Typed: string;
        /** @description An upload that is under way. */
        Upload: {
            /**
             * Format: int64
             * @description How many bytes the file has, where that was said.
             */
            bytes?: number | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it began.
             */
            made_at: number;
            /** @description The name of the file. */
            name: string;
            /**
             * Format: int64
             * @description How many of them are here: the offset of the next part.
             */
            received: number;
            /** @description Who uploads it. */
            user: components["schemas"]["Id"];
        };
        /** @description A release held against its policy again. */
        Verify: {
            /** @description The release. */
            release: components["schemas"]["Id"];
        };
        /** @description How a level is verified. */
        Verify2: {
            /** @description The files and their sums. `sha256sum` of a downloaded file is the sum here. */
            manifest: components["schemas"]["OfLevel"];
            /** @description The SHA-256 of `manifest` without spaces, which the log has beside the approval. */
            sha256: string;
        };
        /** @description A file of the inbox. */
        Waiting: {
            /**
             * Format: uint64
             * @description How many bytes it has.
             */
            bytes: number;
            /** @description Its id, as long as it is not changed. */
            id: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When it was last written to.
             */
            modified: number;
            /** @description Its name. */
            name: string;
        };
        /** @description What waits. */
        Waiting2: {
            /**
             * Format: int64
             * @description Since when.
             */
            at: number;
            /** @description The release, the wish, the stream or the data set. */
            id: components["schemas"]["Id"];
            /**
             * @description `release`, `wish`, `stream` or `budget` for officers; `failed` for stewards, about their own
             *     requests; `stream-failed`, `stream-under-goal` or `stream-silent` for operators and officers,
             *     `stream-held` for operators.
             */
            kind: string;
            /** @description The name of the release, the stream or the data set, or the kind of the wish. */
            name: string;
            /** @description The project. */
            project: components["schemas"]["Id"];
        };
        /** @description Which data and policy, and options of the kind. */
        Wanted: {
            /** @description The data and the policy. */
            about: components["schemas"]["About"];
            /** @description What exactly; without, as the command of the same name does it. */
            options?: components["schemas"]["Preview"] | null;
        };
        /** @description Which data and policy, and options of the kind. */
        Wanted2: {
            /** @description The data and the policy. */
            about: components["schemas"]["About"];
            /** @description What exactly; without, as the command of the same name does it. */
            options?: components["schemas"]["Plan"] | null;
        };
        /** @description Which data and policy, and options of the kind. */
        Wanted3: {
            /** @description The data and the policy. */
            about: components["schemas"]["About"];
            /** @description What exactly; without, as the command of the same name does it. */
            options?: components["schemas"]["Explore"] | null;
        };
        /** @description Which data and policy, and options of the kind. */
        Wanted4: {
            /** @description The data and the policy. */
            about: components["schemas"]["About"];
            /** @description What exactly; without, as the command of the same name does it. */
            options?: components["schemas"]["Tune"] | null;
        };
        /** @description Which data and policy, and options of the kind. */
        Wanted5: {
            /** @description The data and the policy. */
            about: components["schemas"]["About"];
            /** @description What exactly; without, as the command of the same name does it. */
            options?: components["schemas"]["Learn"] | null;
        };
        /** @description Which data and policy, and options of the kind. */
        Wanted6: {
            /** @description The data and the policy. */
            about: components["schemas"]["About"];
            /** @description What exactly; without, as the command of the same name does it. */
            options?: components["schemas"]["Attack"] | null;
        };
        /** @description What is wanted of a stream. */
        Wanted7: "start" | "stop" | "restart" | "finish";
        Why: {
            /** @description Why. */
            reason: string;
        };
        /** @description Why something is to be deleted. */
        Why2: {
            /** @description The reason. */
            reason: string;
        };
        /** @description Something that was asked for. */
        Wish: {
            /**
             * Format: int64
             * @description When.
             */
            asked_at: number;
            /** @description Who asked. */
            asked_by: components["schemas"]["Id"];
            /**
             * Format: int64
             * @description When.
             */
            decided_at?: number | null;
            /** @description Who decided. */
            decided_by?: components["schemas"]["Id"] | null;
            /** @description Its id. */
            id: components["schemas"]["Id"];
            /** @description What kind it is: `member`, `rules`, `delete-raw`, `factor`, `reset`, `admin` or `auditor`. */
            kind: string;
            /** @description The project that it is about. */
            project?: components["schemas"]["Id"] | null;
            /** @description Why. */
            reason: string;
            /** @description `waiting`, `granted` or `refused`. */
            state: string;
            /** @description Who or what it is about. */
            subject: components["schemas"]["Id"];
            /** @description What is wished, in JSON. */
            wish: string;
        };
        /** @description What is wanted of a stream. */
        Wish2: {
            /** @description What. */
            wanted: components["schemas"]["Wanted7"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAudit: {
        parameters: {
            query?: {
                act?: string | null;
                actor?: number | null;
                after?: number | null;
                from?: number | null;
                limit?: number | null;
                until?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page3"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getAuditAdmin: {
        parameters: {
            query?: {
                act?: string | null;
                actor?: number | null;
                after?: number | null;
                from?: number | null;
                limit?: number | null;
                until?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page3"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getAuditExport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getAuditVerification: {
        parameters: {
            query?: {
                hash?: string | null;
                number?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Told2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getBackups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backup"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postBackups: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Made"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getCatalogue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalogue"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postDemoSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Entering"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getExplainTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explained"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getInbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Waiting2"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postLinksLook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Looked"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Told"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postLinksUse: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Redeemed"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    patchMe: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Changed"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getMeDrafts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed3"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getMeDraftsDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                draft: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    putMeDraftsDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                draft: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Draft"];
            };
        };
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteMeDraftsDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                draft: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    putMeFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["First"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmed"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postMeFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Proved"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prepared"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postMePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getMeSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteMeSessionsSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getMeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed2"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postMeTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Made2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteMeTokensToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getPolicySchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjects: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProject"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    patchProjectsProject: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedProject"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectAudit: {
        parameters: {
            query?: {
                act?: string | null;
                actor?: number | null;
                after?: number | null;
                from?: number | null;
                limit?: number | null;
                until?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page3"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectAuditExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectAuditVerification: {
        parameters: {
            query?: {
                hash?: string | null;
                number?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Told2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDatasets: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page4"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDatasetsDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                dataset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSet"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    putProjectsProjectDatasetsDatasetIdentifiers: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                dataset: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Declared"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSet"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDatasetsDatasetLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                dataset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ledger"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDatasetsDatasetVersions: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
                dataset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page5"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDatasetsDatasetVersionsVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                dataset: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectDatasetsDatasetVersionsVersionDeletion: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                dataset: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Why2"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome4"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectDatasetsDatasetVersionsVersionIdentity: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                dataset: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Look"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Found"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDatasetsDatasetVersionsVersionProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                dataset: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDatasetsDatasetVersionsVersionRows: {
        parameters: {
            query: {
                after?: string | null;
                limit?: number | null;
                purpose: string;
            };
            header?: never;
            path: {
                project: string;
                dataset: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rows"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectDeletions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wish"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectDeletionsWishDecision: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                wish: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision3"];
            };
        };
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectHierarchies: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page6"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectHierarchies: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewText"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectHierarchiesText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                text: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    putProjectsProjectHierarchiesText: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                text: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edit"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectHierarchiesTextVersions: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
                text: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page7"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectHierarchiesTextVersionsVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                text: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectHierarchiesTextVersionsVersionRestoration: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                text: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectInbox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Waiting"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectInboxFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                file: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Target"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectJobs: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page8"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsAttack: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wanted6"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsExplore: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wanted3"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsLearn: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wanted5"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wanted2"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsPreview: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wanted"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Profile2"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsTune: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wanted4"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsVerify: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Verify"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectJobsJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsJobCancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectJobsJobRetry: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queued"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed5"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Membership2"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectMembersFiner: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Finer"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteProjectsProjectMembersUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectPolicies: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page6"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewText"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectPoliciesCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Draft2"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checked"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectPoliciesText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                text: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    putProjectsProjectPoliciesText: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                text: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edit"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectPoliciesTextVersions: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
                text: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page7"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectPoliciesTextVersionsVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                text: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectPoliciesTextVersionsVersionBundle: {
        parameters: {
            query?: {
                data?: components["schemas"]["Id"] | null;
            };
            header?: never;
            path: {
                project: string;
                text: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bundle"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectPoliciesTextVersionsVersionRestoration: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                text: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectPreviews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Previews"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReaders: {
        parameters: {
            query?: {
                at?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reader"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasedStreams: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page12"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleases: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page10"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasesRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                release: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shown3"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasesReleaseLevelsLevelCounts: {
        parameters: {
            query?: {
                by?: string | null;
                where?: string | null;
            };
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Counts"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasesReleaseLevelsLevelDictionary: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasesReleaseLevelsLevelFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasesReleaseLevelsLevelManifest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasesReleaseLevelsLevelReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectReleasesReleaseLevelsLevelRows: {
        parameters: {
            query?: {
                after?: number | null;
                limit?: number | null;
                where?: string | null;
            };
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rows2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectReleasesReleaseRevocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                release: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decided"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectRequests: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page9"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectRequests: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Request"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asked"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectRequestsRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                release: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Review"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectRequestsReleaseApproval: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                release: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Approval"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decided"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectRequestsReleaseLevelsLevelReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectRequestsReleaseLevelsLevelRows: {
        parameters: {
            query?: {
                after?: number | null;
                limit?: number | null;
                where?: string | null;
            };
            header?: never;
            path: {
                project: string;
                release: string;
                level: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rows2"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectRequestsReleaseRefusal: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                release: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decided"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectRequestsReleaseRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                release: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asked"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectRequestsReleaseWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                release: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rules"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    putProjectsProjectRules: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rules"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome3"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed7"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectSecrets: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSecret"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed7"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectStreams: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page11"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectStreams: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStream"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectStreamsStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    patchProjectsProjectStreamsStream: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedStream"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectStreamsStreamDecision: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision5"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectStreamsStreamEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Taken"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectStreamsStreamEvents: {
        parameters: {
            query?: {
                at?: number | null;
            };
            header?: never;
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Taken"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectStreamsStreamFigures: {
        parameters: {
            query?: {
                from?: number | null;
                until?: number | null;
            };
            header?: never;
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Over"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectStreamsStreamRows: {
        parameters: {
            query?: {
                after?: number | null;
                limit?: number | null;
            };
            header?: never;
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rows3"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectStreamsStreamTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed2"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectStreamsStreamTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken2"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Made3"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteProjectsProjectStreamsStreamTokensToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                stream: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectStreamsStreamWanted: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wish2"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectUploads: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectUploads: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUpload"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectUploadsUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
                upload: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteProjectsProjectUploadsUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                upload: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    patchProjectsProjectUploadsUpload: {
        parameters: {
            query: {
                offset: number;
            };
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                upload: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectUploadsUploadFinish: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                upload: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Finish"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataVersion"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getProjectsProjectWishes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wish"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postProjectsProjectWishesWishDecision: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                project: string;
                wish: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision2"];
            };
        };
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postSessionFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Code"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postSessionLock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postSessionUnlock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Password"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shown"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetUp"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Current"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getUsers: {
        parameters: {
            query?: {
                after?: string | null;
                limit?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postUsers: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Invitation"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Handed"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getUsersUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed4"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteUsersUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    patchUsersUser: {
        parameters: {
            query?: never;
            header: {
                /** @description the version that is changed, as the ETag of what was read */
                "If-Match": string;
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Changed2"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postUsersUserDisable: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postUsersUserEnable: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postUsersUserFactorRemoval: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Why"];
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Removal"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postUsersUserLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Why"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Handed"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    deleteUsersUserSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ended"];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    getWishes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wish"][];
                };
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
    postWishesWishDecision: {
        parameters: {
            query?: never;
            header?: {
                /** @description a request that is sent again under the same key is done once */
                "Idempotency-Key"?: string;
            };
            path: {
                wish: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Details"];
                };
            };
        };
    };
}
