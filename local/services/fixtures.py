"""What exists from the start in the part of the account that moto serves."""

from local.settings import ACCOUNT, EKS_CLUSTER, REGION

IDENTITY_STORE_ID = "d-9067a1b2c3"
INSTANCE_ARN = "arn:aws:sso:::instance/ssoins-7907a1b2c3d4e5f6"
SCIM_TENANT_ID = "f0d1c2b3-a4e5-4f60-8a1b-0c1d2e3f4a5b"
SCIM_ISSUER = "https://sts.windows.net/5c1d2e3f-0a1b-4c2d-8e3f-4a5b6c7d8e9f/"

EKS_CLUSTER_ARN = f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/{EKS_CLUSTER}"
CLUSTER_ID = "ab12cd34ef56"
CLUSTER_NAME = "ml-shared-prod"
CLUSTER_ARN = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/{CLUSTER_ID}"
INSTANCE_GROUPS = (("gpu-h100", "ml.p5.48xlarge", 4), ("cpu", "ml.c5.4xlarge", 2))
